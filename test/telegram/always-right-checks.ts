import type { ChatPlace } from "../../src/domain/ids.ts";
import { joinTexts } from "../../src/domain/prompt.ts";
import type { Transcript } from "../../src/domain/transcript.ts";
import type { BotApi, ShownMessage } from "../../src/playground/bot-api/bot-api.ts";
import { formatText } from "../../src/playground/bot-api/formatted-text.ts";
import type { Answer, Call } from "../../src/telegram/calls.ts";
import { closingCalls } from "../../src/telegram/closing.ts";
import type { FormattedText } from "../../src/telegram/entities.ts";
import type { Outbox } from "../../src/telegram/outbox.ts";
import { answerLimits, capPages } from "../../src/telegram/overflow.ts";
import { paginate } from "../../src/telegram/paginate.ts";
import { withoutEntities, withoutLinks } from "../../src/telegram/plain-text.ts";
import { renderSteps } from "../../src/telegram/rendering.ts";
import { viewOf, withLines } from "../../src/telegram/view.ts";
import { EMPTY_ANSWER, REST_IN_FILE } from "../../src/telegram/words.ts";

/** One call that evie made, and what became of it. */
export interface Doing {
  readonly at: number;
  readonly chatId: number;
  readonly call: Call;
  /** The number of the turn that it belongs to; undefined for a reply or a probe. */
  readonly turn: number | undefined;
  /** Whether that turn had ended. */
  readonly ended: boolean;
  answer: Answer | undefined;
}

export interface PlayedTurn {
  readonly number: number;
  transcript: Transcript;
  readonly promptId: number;
  /** A call of it was refused its entities after its end, so a page may stay plain. */
  mayBePlain: boolean;
}

export interface PlayedChat {
  readonly place: ChatPlace;
  readonly outbox: Outbox;
  readonly turns: PlayedTurn[];
  /** Replies that were asked for and are not in the chat yet. */
  readonly pendingReplies: string[];
  /** How many were asked for. */
  replies: number;
  /** Telegram said so. */
  restUntil: number;
  /** A send was not answered, and nothing since. */
  inDoubt: boolean;
  /** The number of the turn that spoke last. */
  latestTurn: number;
}

/** How a reply begins; its number follows. */
export const REPLY = "reply ";

interface Wanted {
  readonly text: string;
  /** Each of these looks is right when Telegram refused the entities. */
  readonly looks: readonly string[];
}

/** What stays of a turn in its chat. */
function wantedOf({ transcript, promptId, mayBePlain }: PlayedTurn): readonly Wanted[] {
  const { answer, lines } = viewOf(transcript, 0);
  const rendered = paginate(renderSteps(answer, { streaming: false }), answerLimits);
  const said = answer.length > 0 && rendered.length === 0 && lines.length === 0 ? [EMPTY_ANSWER] : lines;
  const { pages, overflows } = capPages(rendered);
  const below = overflows ? [REST_IN_FILE, ...said] : said;
  const closing = closingCalls({
    transcript,
    answer: joinTexts(answer),
    isIncomplete: overflows,
    face: "telegram",
    replyTo: promptId,
  });
  return [
    ...withLines(pages, below, true).map((page) => wantedPage(page, mayBePlain)),
    ...closing.map((call): Wanted =>
      call.type === "document"
        ? { text: call.text, looks: [call.text.toWellFormed().replaceAll("\0", "")] }
        : wantedPage("content" in call ? call.content : { text: "", entities: [] }, false),
    ),
  ];
}

/** Where Telegram refused the entities of a page, its links may have gone, and the rest with them. */
function wantedPage(page: FormattedText, mayBePlain: boolean): Wanted {
  const looks = mayBePlain ? [page, withoutLinks(page), withoutEntities(page)] : [page];
  return { text: formatted(page).text, looks: looks.map((look) => JSON.stringify(formatted(look))) };
}

function formatted({ text, entities }: FormattedText) {
  return formatText(text, entities, "text", () => undefined);
}

function lookOf({ text, entities, file }: ShownMessage): string {
  return file === undefined ? JSON.stringify({ text, entities }) : new TextDecoder().decode(file);
}

/** Everything that is wrong with what a chat shows in the end. */
export function problemsOfChat(
  chat: PlayedChat,
  server: BotApi,
  doings: readonly Doing[],
): readonly string[] {
  const { chatId } = chat.place;
  const problems: string[] = [];
  const owner = ownersOf(chatId, server, doings);
  const { botMessages, deleted } = server.chat(chatId);
  const inDoubt = doings.filter(
    ({ chatId: id, call, answer }) =>
      id === chatId && (call.type === "send" || call.type === "document") && answer?.type === "unreachable",
  ).length;
  const known = botMessages.filter(({ id }) => owner.has(id));
  const twice =
    botMessages.length - known.length + deleted.filter(({ id, byBot }) => byBot && !owner.has(id)).length;
  if (twice > inDoubt) problems.push(`${twice} messages that evie does not know of, ${inDoubt} lost answers`);
  if (chat.pendingReplies.length > 0) problems.push("a reply never came");

  const order = known.flatMap(({ id }) => {
    const turn = owner.get(id);
    return typeof turn === "number" ? [turn] : [];
  });
  if (order.some((turn, at) => turn < (order[at - 1] ?? turn))) problems.push("turns are mixed");

  const replies = known.filter(({ id }) => owner.get(id) === "reply");
  const numbers = replies.map(({ text }) => Number(text.slice(REPLY.length)));
  if (numbers.some((number, at) => number <= (numbers[at - 1] ?? 0))) problems.push("replies are mixed");
  const lostReplies = deleted.filter(({ id }) => owner.get(id) === "reply").length;
  if (replies.length + lostReplies !== chat.replies) problems.push("a reply is missing or there twice");

  for (const turn of chat.turns) {
    const there = known.filter(({ id }) => owner.get(id) === turn.number);
    const gone = deleted.filter(({ id }) => owner.get(id) === turn.number).length;
    problems.push(...problemsOfTurn(turn, there, gone));
  }
  return problems;
}

/** Every page in its place, once; as many may be missing as the person deleted. */
function problemsOfTurn(turn: PlayedTurn, there: readonly ShownMessage[], gone: number): readonly string[] {
  const wanted = wantedOf(turn);
  let next = 0;
  let missing = 0;
  for (const message of there) {
    const look = lookOf(message);
    const at = wanted.findIndex(({ looks }, index) => index >= next && looks.includes(look));
    if (at === -1) {
      return [
        `turn ${turn.number} (${turn.transcript.turn?.outcome?.type}) shows ${short(look)}, wanted after ${next} of ${wanted.length}: ${short(
          wanted[next]?.looks.join(" or ") ?? "nothing",
        )}`,
      ];
    }
    missing += at - next;
    next = at + 1;
  }
  missing += wanted.length - next;
  return missing > gone ? [`turn ${turn.number} misses ${missing} of ${wanted.length} messages`] : [];
}

function short(look: string): string {
  return look.length <= 300 ? look : `${look.slice(0, 150)}~${look.slice(-150)}`;
}

/** Which turn's each message is, or that it is a reply. One is missing here when its answer was lost. */
function ownersOf(
  chatId: number,
  server: BotApi,
  doings: readonly Doing[],
): ReadonlyMap<number, number | "reply"> {
  const owners = new Map<number, number | "reply">();
  for (const { chatId: id, call, turn, answer } of doings) {
    if (id !== chatId || call.type !== "send" || answer?.type !== "done") continue;
    if (answer.messageId !== undefined) owners.set(answer.messageId, turn ?? "reply");
  }
  // A document's number is told to nobody: its answers are looked up where they were given.
  const documents = doings.filter(
    ({ chatId: id, call, answer }) => id === chatId && call.type === "document" && answer?.type === "done",
  );
  const given = server
    .callsOf("sendDocument")
    .filter((call) => call.chatId === chatId && call.status === 200 && !call.lost);
  documents.forEach(({ turn }, at) => {
    const result: unknown = given[at]?.result;
    const messageId: unknown =
      typeof result === "object" && result !== null ? Reflect.get(result, "message_id") : 0;
    if (typeof messageId === "number" && turn !== undefined) owners.set(messageId, turn);
  });
  return owners;
}
