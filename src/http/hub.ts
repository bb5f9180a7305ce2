import type { Clock } from "../domain/clock.ts";
import type { DiskWatch } from "../domain/disk.ts";
import { parseSessionId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Answered, ObservedSession, SessionDirectory } from "../domain/sessions.ts";
import { toJson } from "../domain/text.ts";
import type { ClientFrame, ServerFrame } from "../domain/wire.ts";
import { attachFrames } from "./attach-frames.ts";
import { type AttachQueue, createAttachQueue } from "./attach-queue.ts";
import { createBacklog } from "./backlog.ts";
import { clientFrame, readJson, readShape } from "./bodies.ts";
import type { MakeDraft } from "./drafts.ts";
import type { Readers } from "./readers.ts";
import { noSession, Refusal, refusalFor } from "./refusal.ts";

/** Milliseconds between two heartbeats. A browser that hears nothing for longer than a few of them connects anew. */
export const HEARTBEAT = 5_000;
/** Bytes that may still wait for a browser when the next session is attached to it. */
const DRAINED = 64 * 2 ** 10;
/** "Try again later": the code that a browser which reads too slowly is closed with. It attaches anew. */
export const TOO_SLOW = 1013;
/** Milliseconds that whoever reads too slowly has to hear of it; then what waits there is let go of. */
export const CLOSING = 2_000;
/** Why somebody is closed who reads too slowly. */
export const SLOW_WORDS = {
  alone: "You read too slowly. Connect anew.",
  together: "Too much waits for slow readers, and most of it for you. Connect anew.",
} as const;

export interface HubOptions {
  readonly sessions: SessionDirectory;
  readonly makeDraft: MakeDraft;
  readonly readers: Readers;
  /** Another one for each process of evie. */
  readonly epoch: string;
  readonly version: string;
  /** The bot's name at Telegram, without `@`, once it is known; absent where no link may lead to it. */
  readonly bot?: (() => string | undefined) | undefined;
  readonly disk?: DiskWatch | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** As much of a WebSocket as the hub needs. */
export interface HubSocket {
  /** Calls `sent` when the text is on its way, or never will be. */
  send(text: string, sent: () => void): void;
  close(code: number, reason: string): void;
  /** Ends it at once, with all that waits in it. */
  terminate(): void;
  /** Bytes that are sent and not on their way yet. */
  readonly bufferedAmount: number;
}

/** One browser on the hub. */
export interface HubConnection {
  /** A frame has come. */
  receive(text: string): void;
  /** The socket has closed. */
  closed(): void;
}

export interface Hub {
  connect(socket: HubSocket): HubConnection;
}

/** Speaks to browsers in frames: what they ask for, and what happens in the sessions that they subscribed to. */
export function createHub(options: HubOptions): Hub {
  const { sessions, readers, epoch, version, clock, log } = options;
  const connections = new Set<(text: string) => void>();
  const encode = createEncoder();

  sessions.watch(() => {
    if (connections.size === 0) return;
    const text = encode({ type: "sessions", sessions: sessions.list() });
    for (const send of connections) send(text);
  });

  return {
    connect(socket) {
      const subscriptions = new Map<string, () => void>();
      const gone = new AbortController();

      const backlog = createBacklog();
      const attaches = createAttachQueue({
        isDrained: () => !gone.signal.aborted && socket.bufferedAmount <= DRAINED,
        attach: (sessionId) => {
          try {
            attach(sessionOf(sessionId, sessions));
          } catch (error) {
            tellFault(error, { sessionId }, { send, log });
          }
        },
      });

      const reader = readers.add({
        waiting: () => socket.bufferedAmount,
        close: () => sendAway(SLOW_WORDS.together),
      });

      /** A close alone would wait behind all that is not read. */
      function sendAway(reason: string): void {
        leave();
        socket.close(TOO_SLOW, reason);
        void clock.sleep(CLOSING).then(() => socket.terminate());
      }

      function leave(): void {
        gone.abort();
        reader.remove();
        connections.delete(sendText);
        for (const detach of subscriptions.values()) detach();
        subscriptions.clear();
      }

      function sendText(text: string): void {
        if (gone.signal.aborted) return;
        if (backlog.isTooLarge(socket.bufferedAmount)) return sendAway(SLOW_WORDS.alone);
        const bytes = Buffer.byteLength(text);
        reader.hands(bytes);
        // It may have been this one for whom most waited.
        if (gone.signal.aborted) return;
        backlog.add(bytes);
        socket.send(text, attaches.goOn);
      }

      const send = (frame: ServerFrame): void => sendText(encode(frame));

      /** One synchronous block: what happens from here on comes behind it, and nothing comes twice. */
      function attach(session: ObservedSession): void {
        subscriptions.get(session.id)?.();
        const observation = session.observe(send);
        subscriptions.set(session.id, observation.detach);
        backlog.attach(() => {
          for (const frame of attachFrames(session.id, observation)) send(frame);
        });
      }

      async function beat(): Promise<void> {
        for (;;) {
          await clock.sleep(HEARTBEAT, gone.signal);
          if (gone.signal.aborted) return;
          send({ type: "heartbeat", at: clock.date() });
        }
      }

      connections.add(sendText);
      const bot = options.bot?.();
      send({ type: "hello", epoch, version, ...(bot === undefined ? {} : { bot }) });
      send({ type: "sessions", sessions: sessions.list() });
      void beat();
      return {
        receive: (text) => take(text, { ...options, send, attaches, subscriptions }),
        closed: leave,
      };
    },
  };
}

/** What a browser is told whose prompt was replaced before the agent had it; it puts the prompt back where it was written. */
const NOT_ASKED =
  "A prompt never reached the agent: another one took its place first. It is back where you wrote it.";

interface Reception extends HubOptions {
  readonly send: (frame: ServerFrame) => void;
  readonly attaches: AttachQueue;
  readonly subscriptions: Map<string, () => void>;
}

function take(text: string, reception: Reception): void {
  let frame: ClientFrame | undefined;
  try {
    // JSON knows no undefined, so a field that may be left out is either there or not.
    frame = readShape(clientFrame, readJson(text)) as ClientFrame;
    act(frame, reception);
  } catch (error) {
    const about = {
      ...(frame !== undefined && "sessionId" in frame ? { sessionId: frame.sessionId } : {}),
      ...(frame !== undefined && "requestId" in frame ? { requestId: frame.requestId } : {}),
    };
    tellFault(error, about, reception);
  }
}

/** Answers what could not be done with an error about it. */
function tellFault(
  error: unknown,
  about: { readonly sessionId?: string; readonly requestId?: string },
  { send, log, disk }: Pick<Reception, "send" | "log" | "disk">,
): void {
  const refusal = refusalFor(error, disk);
  if (refusal !== undefined)
    return send({ type: "error", code: refusal.code, message: refusal.message, ...about });
  log.error({ err: error }, "what a browser asked for failed by a fault of evie's own");
  const message = `evie made a mistake (${error instanceof Error ? error.message : String(error)}). Its log tells more.`;
  send({ type: "error", code: "internal", message, ...about });
}

/** The session of that id. Throws a Refusal when there is none. */
function sessionOf(sessionId: string, sessions: SessionDirectory): ObservedSession {
  const id = parseSessionId(sessionId);
  const session = id === undefined ? undefined : sessions.open(id);
  if (session === undefined) throw noSession(sessionId);
  return session;
}

function act(frame: ClientFrame, { sessions, makeDraft, send, attaches, subscriptions }: Reception): void {
  if (frame.type === "ping") return send({ type: "pong" });
  const { sessionId } = frame;
  if (frame.type === "unsubscribe") {
    attaches.remove(sessionId);
    subscriptions.get(sessionId)?.();
    subscriptions.delete(sessionId);
    return;
  }
  const session = sessionOf(sessionId, sessions);
  switch (frame.type) {
    case "subscribe":
      return attaches.add(sessionId, frame.shown === true);
    case "prompt": {
      const { text, mode = "queue", requestId } = frame;
      const { ending } = session.prompt(makeDraft(frame), { face: "deck", mode, requestId, text });
      send({ type: "accepted", sessionId, requestId });
      void ending.then(({ outcome }) => {
        if (outcome.type === "replaced" && outcome.message !== undefined)
          send({ type: "error", code: "not_asked", message: NOT_ASKED, sessionId, requestId });
      });
      return;
    }
    case "withdraw":
      if (session.withdraw(frame.requestId)) return;
      throw new Refusal(409, "not_waiting", "This prompt does not wait any more.");
    case "abort":
      session.stop();
      return;
    case "answer":
      return checkAnswered(session.answer(frame.questionId, frame.value));
  }
}

/** Throws a Refusal that says why an answer was not taken. */
export function checkAnswered(answered: Answered): void {
  switch (answered) {
    case "taken":
      return;
    case "already answered":
      throw new Refusal(409, "already_answered", "This question is already answered.");
    case "closed":
      throw new Refusal(409, "question_closed", "Nobody waits for this answer any more.");
    case "unknown":
      throw new Refusal(404, "no_question", "There is no such question.");
    case "wrong kind":
      throw new Refusal(
        400,
        "wrong_kind",
        "Answer a confirm with true or false, any other question with a text, or null.",
      );
  }
}

/** Frames as JSON. One that goes to many browsers is encoded once. */
function createEncoder(): (frame: ServerFrame) => string {
  const encoded = new WeakMap<ServerFrame, string>();
  return (frame) => {
    const known = encoded.get(frame);
    if (known !== undefined) return known;
    const text = toJson(frame);
    encoded.set(frame, text);
    return text;
  };
}
