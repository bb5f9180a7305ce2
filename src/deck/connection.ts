import type { Clock } from "../domain/clock.ts";
import { toJson } from "../domain/text.ts";
import type { ClientFrame } from "../domain/wire.ts";
import type { Link } from "./state.ts";

/** An open socket, as far as a connection needs one. */
export interface Socket {
  send(text: string): void;
  /** Ends it; `onClose` is called once, now or later. */
  close(): void;
}

export interface SocketEvents {
  readonly onText: (text: string) => void;
  /** `refused`: the server does not take the key. */
  readonly onClose: (why: "gone" | "refused") => void;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Undefined where there is no key to come with. */
  readonly dial: (events: SocketEvents) => Socket | undefined;
  /** The key was refused. Tells whether there is another one to come with. */
  readonly onRefused: () => boolean;
  readonly onText: (text: string) => void;
  readonly onLink: (link: Link) => void;
}

export interface Connection {
  /** Sends a frame, if there is somebody to send it to: what has to arrive is sent again by whoever is told of `open`. */
  send(frame: ClientFrame): void;
  /** The server has greeted: the connection counts as open, and as proof that the next attempt may come soon. */
  greeted(): void;
  /** There is reason to look at once: the network is back, or the person is. */
  nudge(): void;
  /** Connects anew, with another key. */
  renew(): void;
  close(): void;
}

/** Milliseconds without any frame after which the other side counts as gone; it sends one every 5 s. */
const SILENCE_MS = 18_000;

/** The same after a nudge, whose ping is answered at once. */
const NUDGED_SILENCE_MS = 4_000;

/** Milliseconds until a page that is locked out looks again by itself. */
const LOCKED_WAIT_MS = 600_000;

const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/** Milliseconds before attempt number `attempt` (from 0) after a failure: random, in a range that grows to 0.5 to 8 s. */
export function waitBefore(attempt: number, random: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** (attempt + 1));
  return SHORTEST_WAIT_MS + random * (longest - SHORTEST_WAIT_MS);
}

/** Keeps one socket open for as long as it can, from now on. Without a key that is taken it rests until it is nudged. */
export function createConnection(options: ConnectionOptions): Connection {
  const { clock, random, dial, onText, onLink, onRefused } = options;
  const closed = new AbortController();
  let attempt = 0;
  let link: Link | undefined;
  let socket: Socket | undefined;
  let deadline = 0;
  /** Ends the sleep that goes on at the moment. */
  let wake = new AbortController();

  const turn = (next: Link): void => {
    if (next === link) return;
    link = next;
    onLink(next);
  };
  const sleep = async (ms: number): Promise<void> => {
    wake = new AbortController();
    await clock.sleep(ms, wake.signal);
  };

  /** Resolves when the socket is gone, by its own doing or for its silence, and with whether it was refused. */
  const speak = async (): Promise<"gone" | "refused" | "no key"> => {
    const over = new AbortController();
    let end: "gone" | "refused" = "gone";
    deadline = clock.now() + SILENCE_MS;
    const mine = dial({
      onText: (text) => {
        // A socket that was given up may still say something.
        if (over.signal.aborted) return;
        deadline = clock.now() + SILENCE_MS;
        onText(text);
      },
      onClose: (why) => {
        if (!over.signal.aborted) end = why;
        over.abort();
        if (socket === mine) wake.abort();
      },
    });
    if (mine === undefined) return "no key";
    socket = mine;
    while (!over.signal.aborted && !closed.signal.aborted && clock.now() < deadline) {
      await sleep(deadline - clock.now());
    }
    over.abort();
    socket = undefined;
    mine.close();
    return end;
  };

  const run = async (): Promise<void> => {
    while (!closed.signal.aborted) {
      turn("connecting");
      const end = await speak();
      if (closed.signal.aborted) return;
      if (end === "refused" && onRefused()) continue;
      if (end !== "gone") {
        turn(end);
        await sleep(LOCKED_WAIT_MS);
        continue;
      }
      turn("waiting");
      await sleep(waitBefore(attempt, random()));
      attempt += 1;
    }
  };

  const send = (frame: ClientFrame): void => {
    if (link === "open") socket?.send(toJson(frame));
  };
  void run();
  return {
    send,
    greeted: () => {
      attempt = 0;
      turn("open");
    },
    nudge: () => {
      if (link === "waiting" || link === "no key" || link === "refused") wake.abort();
      if (link !== "open") return;
      deadline = Math.min(deadline, clock.now() + NUDGED_SILENCE_MS);
      send({ type: "ping" });
      wake.abort();
    },
    renew: () => {
      deadline = clock.now();
      wake.abort();
    },
    close: () => {
      closed.abort();
      wake.abort();
    },
  };
}
