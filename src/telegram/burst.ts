import type { Clock } from "../domain/clock.ts";
import type { ChatKey } from "../domain/ids.ts";
import { DEBOUNCE_WINDOW } from "./timing.ts";

/** Milliseconds: a timer is no finer. One that wakes a fraction too early would be slept on for a whole one. */
const TIMER_GRAIN = 1;

export interface BurstsOptions<Part> {
  readonly clock: Clock;
  /** Takes a burst whose deadline has passed. Called once a burst, synchronously with its removal. */
  readonly flush: (key: ChatKey, parts: readonly Part[]) => void;
  /** Hears of a `flush` that threw, which is a fault of evie's own. */
  readonly fault: (error: unknown) => void;
}

/** The Message Bursts that wait, one a chat. */
export interface Bursts<Part> {
  /** Adds a part and moves the deadline, which counts from `arrivedAt`, on the clock; now by default. True when this part opened the burst. */
  add(key: ChatKey, part: Part, arrivedAt?: number): boolean;
  /** Puts what was flushed and could not be handed on in front of what waits, to be flushed again after `ms`. */
  putBack(key: ChatKey, parts: readonly Part[], ms: number): void;
  /** Replaces the first part that `matches` by what `change` makes of it. False when none waits. The deadline stays. */
  amend(key: ChatKey, matches: (part: Part) => boolean, change: (part: Part) => Part): boolean;
  /** Takes the waiting burst away, so that nothing of it is ever flushed. Empty when none waits. */
  discard(key: ChatKey): readonly Part[];
  /** Whether a burst of that chat waits. */
  waits(key: ChatKey): boolean;
  /** The chats that have a burst waiting. */
  keys(): readonly ChatKey[];
}

interface PendingBurst<Part> {
  readonly parts: Part[];
  /** In the clock's milliseconds. */
  deadline: number;
  readonly discarded: AbortController;
}

/**
 * Messages that arrive in quick succession, held until their chat has been quiet for DEBOUNCE_WINDOW.
 *
 * Each burst owns exactly one flush task. The task sleeps until the deadline and looks again: if it has moved, it
 * sleeps on; if it has passed, then in the same synchronous step the burst is removed and handed on. So a burst is
 * flushed at most once, and the next message opens a fresh one.
 */
export function createBursts<Part>({ clock, flush, fault }: BurstsOptions<Part>): Bursts<Part> {
  const pending = new Map<ChatKey, PendingBurst<Part>>();

  async function flushTask(key: ChatKey, burst: PendingBurst<Part>): Promise<void> {
    for (;;) {
      const { signal } = burst.discarded;
      await clock.sleep(burst.deadline - clock.now(), signal);
      if (signal.aborted) return;
      if (burst.deadline - clock.now() >= TIMER_GRAIN) continue;
      pending.delete(key);
      flush(key, burst.parts);
      return;
    }
  }

  function open(key: ChatKey, parts: Part[], deadline: number): void {
    const burst: PendingBurst<Part> = { parts, deadline, discarded: new AbortController() };
    pending.set(key, burst);
    flushTask(key, burst).catch(fault);
  }

  return {
    add(key, part, arrivedAt = clock.now()) {
      const deadline = arrivedAt + DEBOUNCE_WINDOW;
      const waiting = pending.get(key);
      if (waiting !== undefined) {
        waiting.parts.push(part);
        waiting.deadline = deadline;
        return false;
      }
      open(key, [part], deadline);
      return true;
    },

    putBack(key, parts, ms) {
      const deadline = clock.now() + ms;
      const waiting = pending.get(key);
      if (waiting === undefined) return open(key, [...parts], deadline);
      waiting.parts.unshift(...parts);
      waiting.deadline = Math.max(waiting.deadline, deadline);
    },

    amend(key, matches, change) {
      const parts = pending.get(key)?.parts ?? [];
      const at = parts.findIndex(matches);
      const part = parts[at];
      if (part === undefined) return false;
      parts[at] = change(part);
      return true;
    },

    discard(key) {
      const burst = pending.get(key);
      if (burst === undefined) return [];
      pending.delete(key);
      burst.discarded.abort();
      return burst.parts;
    },

    waits: (key) => pending.has(key),
    keys: () => [...pending.keys()],
  };
}
