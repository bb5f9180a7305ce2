import type { Clock } from "../domain/clock.ts";
import type { ObservedSession, TurnEnding } from "../domain/sessions.ts";
import { toJson } from "../domain/text.ts";
import type { ServerFrame } from "../domain/wire.ts";
import { attachFrames } from "./attach-frames.ts";
import { createBacklog } from "./backlog.ts";
import type { Visitor } from "./guard.ts";
import { CLOSING, HEARTBEAT, SLOW_WORDS } from "./hub.ts";
import type { Readers } from "./readers.ts";

export interface EventStreamOptions {
  readonly session: ObservedSession;
  readonly readers: Readers;
  /** Cuts the connection, where there is one beneath: the server would take an error of the stream for its own. */
  readonly cut?: (() => void) | undefined;
  readonly epoch: string;
  readonly clock: Clock;
  /** Who reads it; it ends with their welcome. */
  readonly visitor: Visitor | undefined;
  /** What the client has seen last, as it says. */
  readonly lastEventId?: string | undefined;
  /** With it the stream ends when this does, and says how as its last event, `ending`. */
  readonly ending?: Promise<TurnEnding>;
}

/**
 * A session as server-sent events: the same frames in the same order as on a WebSocket. An event is named after its
 * frame's type and bears the id `<epoch>:<seq>`; a client that shows the newest one is spared the snapshot.
 */
export function eventStream(options: EventStreamOptions): Response {
  const { session, readers, cut, visitor, epoch, clock, lastEventId, ending } = options;
  const gone = new AbortController();
  let detach = (): void => undefined;
  const encoder = new TextEncoder();
  const backlog = createBacklog();

  /** The client has left by itself. */
  let hasGone = false;
  let forget = (): void => undefined;

  function leave(): void {
    gone.abort();
    detach();
    forget();
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // What is above the mark, which is none.
        const waiting = (): number => -(controller.desiredSize ?? 0);
        /** Whoever does not read begins anew. The reason stands behind all that waits, which is soon let go of. */
        const sendAway = (message: string): void => {
          leave();
          const frame: ServerFrame = { type: "error", code: "too_slow", message };
          controller.enqueue(encoder.encode(`event: error\ndata: ${toJson(frame)}\n\n`));
          void clock.sleep(CLOSING).then(() => {
            if (hasGone) return;
            if (waiting() <= 0) return controller.close();
            if (cut === undefined) controller.error(new Error(message));
            else cut();
          });
        };
        const reader = readers.add({ waiting, close: () => sendAway(SLOW_WORDS.together) });
        forget = reader.remove;
        const write = (text: string): void => {
          if (gone.signal.aborted) return;
          if (visitor?.isWelcome() === false) {
            leave();
            return controller.close();
          }
          if (backlog.isTooLarge(waiting())) return sendAway(SLOW_WORDS.alone);
          const bytes = encoder.encode(text);
          reader.hands(bytes.length);
          // It may have been this one for whom most waited.
          if (gone.signal.aborted) return;
          backlog.add(bytes.length);
          controller.enqueue(bytes);
        };
        const send = (frame: ServerFrame, seq?: number): void => {
          const id = seq === undefined ? "" : `id: ${epoch}:${seq}\n`;
          write(`event: ${frame.type}\n${id}data: ${toJson(frame)}\n\n`);
        };

        const observation = session.observe((frame) =>
          send(frame, frame.type === "session_event" ? frame.event.seq : undefined),
        );
        detach = observation.detach;
        const { lastSeq } = observation;
        const frames = lastEventId === `${epoch}:${lastSeq}` ? [] : attachFrames(session.id, observation);
        backlog.attach(() => {
          for (const [index, frame] of frames.entries())
            send(frame, index === frames.length - 1 ? lastSeq : undefined);
        });
        if (frames.length === 0) write(": nothing new\n\n");

        void beat(clock, gone.signal, () => write(": still here\n\n"));
        void ending?.then((end) => {
          if (gone.signal.aborted) return;
          write(`event: ending\ndata: ${toJson(endingBody(end))}\n\n`);
          leave();
          controller.close();
        });
      },
      cancel() {
        hasGone = true;
        leave();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

/** How a turn ended, as it is told to who asked for it. */
export function endingBody({ outcome, text }: TurnEnding): object {
  const error = "message" in outcome ? outcome.message : undefined;
  return {
    outcome: outcome.type,
    text,
    ...(error === undefined ? {} : { error }),
    ...(outcome.type === "done" && outcome.cut !== undefined ? { cut: outcome.cut } : {}),
  };
}

async function beat(clock: Clock, gone: AbortSignal, write: () => void): Promise<void> {
  for (;;) {
    await clock.sleep(HEARTBEAT, gone);
    if (gone.aborted) return;
    write();
  }
}
