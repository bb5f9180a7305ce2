import type { Clock } from "../domain/clock.ts";
import { clip } from "../domain/text.ts";
import type { BotApi, Call, ShownMessage } from "./bot-api/bot-api.ts";
import type { Message, Update } from "./bot-api/shapes.ts";
import type { ChatMessage, Frame, SharedFile } from "./wire.ts";
import type { Underneath } from "./underneath.ts";

/** The chat as the page sees it, kept in step with the embedded Bot API. */
export interface ChatFeed {
  readonly messages: readonly ChatMessage[];
  readonly typingUntil: number;
  close(): void;
}

/** For how long a chat action is shown, by Telegram's documentation. */
const ACTION_MS = 5_000;
const LONGEST_EXCERPT = 160;

export interface ChatFeedOptions {
  readonly api: BotApi;
  readonly chatId: number;
  readonly clock: Clock;
  readonly underneath: Underneath;
  readonly tell: (frame: Frame) => void;
}

/** Tells every change of the chat as a frame, and what reaches evie and what it calls to `underneath`. */
export function createChatFeed({ api, chatId, clock, underneath, tell }: ChatFeedOptions): ChatFeed {
  const shown = new Map<number, { source: Message; reaction: string | undefined; message: ChatMessage }>();
  const received = new Set<number>();
  let underWay: readonly Call[] = [];
  let typingUntil = 0;

  function show(each: ShownMessage): void {
    const known = shown.get(each.id);
    const isReceived = received.has(each.id);
    const same =
      known?.source === each.message &&
      known.reaction === each.reaction &&
      known.message.received === isReceived;
    if (same) return;
    const message = chatMessage(each, isReceived);
    shown.set(each.id, { source: each.message, reaction: each.reaction, message });
    tell({ type: "message", message });
  }

  function look(): void {
    const { messages } = api.chat(chatId);
    messages.forEach(show);
    if (messages.length === shown.size) return;
    const left = new Set(messages.map(({ id }) => id));
    for (const id of [...shown.keys()].filter((id) => !left.has(id))) {
      shown.delete(id);
      tell({ type: "gone", id });
    }
  }

  function lookAtTyping(): void {
    const { action } = api.chat(chatId);
    const until = action === undefined ? 0 : Math.round(clock.date() - clock.now() + action.at + ACTION_MS);
    if (until === typingUntil) return;
    typingUntil = until;
    tell({ type: "typing", until });
  }

  function lookAtCalls(): void {
    const settled = underWay.filter(({ answeredAt, lost }) => answeredAt !== undefined || lost);
    underWay = underWay.filter((call) => !settled.includes(call));
    for (const call of settled) {
      const method = call.method.toLowerCase();
      if (method === "getupdates") takeUpdates(call);
      else if (method === "setmycommands") tell({ type: "commands", commands: api.commands });
      if (call.chatId === chatId) underneath.answered(call, (api.flood.restUntil(chatId) ?? 0) - clock.now());
    }
  }

  /** What a poll was answered with is with evie from now on. */
  function takeUpdates(call: Call): void {
    if (call.status !== 200 || !Array.isArray(call.result)) return;
    for (const update of call.result as readonly Update[]) {
      const message = update["message"] as Message | undefined;
      if (message?.chat.id !== chatId || received.has(message.message_id)) continue;
      received.add(message.message_id);
      underneath.arrived(message);
    }
    look();
  }

  const stop = api.onChange(({ kind, chatId: about }) => {
    if (kind === "call") {
      const call = api.calls.at(-1);
      if (call !== undefined) underWay = [...underWay, call];
    }
    if (kind === "answer") lookAtCalls();
    if (about !== chatId) return;
    if (kind === "message" || kind === "edit" || kind === "delete" || kind === "reaction") look();
    if (kind === "message" || kind === "action") lookAtTyping();
  });

  return {
    get messages() {
      return Array.from(shown.values(), ({ message }) => message);
    },
    get typingUntil() {
      return typingUntil;
    },
    close: stop,
  };
}

function chatMessage(each: ShownMessage, received: boolean): ChatMessage {
  const { message } = each;
  const file = fileOf(message);
  const { reply_to_message: reply, quote } = message;
  return {
    id: each.id,
    mine: !each.byBot,
    text: each.text,
    entities: each.entities,
    buttons: each.buttons,
    at: message.date * 1000,
    edited: message.edit_date !== undefined && !each.byBot,
    silent: each.silent,
    received,
    ...(file === undefined ? {} : { file }),
    ...(message.media_group_id === undefined ? {} : { album: message.media_group_id }),
    ...(reply === undefined
      ? {}
      : {
          replyTo: {
            id: reply.message_id,
            mine: reply.from?.is_bot !== true,
            text: clip(quote?.text ?? wordsOf(reply), LONGEST_EXCERPT),
          },
        }),
    ...(each.reaction === undefined ? {} : { reaction: each.reaction }),
  };
}

function wordsOf(message: Message): string {
  return message.text ?? message.caption ?? fileOf(message)?.name ?? "";
}

function fileOf(message: Message): SharedFile | undefined {
  const { photo, animation, document, audio, video, voice } = message;
  const kinds = { animation, document, audio, video, voice, photo: photo?.at(-1) };
  for (const [kind, shape] of Object.entries(kinds)) {
    if (shape === undefined) continue;
    return {
      kind: kind as SharedFile["kind"],
      name: shape.file_name ?? (kind === "photo" ? "photo" : kind),
      size: shape.file_size ?? 0,
      url: `/files/${message.message_id}`,
      ...(shape.width === undefined ? {} : { width: shape.width }),
      ...(shape.height === undefined ? {} : { height: shape.height }),
    };
  }
  return undefined;
}
