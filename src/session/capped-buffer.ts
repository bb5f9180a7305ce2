import { bytesOf, headAndTail, LENGTHS, shortenMessage } from "./shorten.ts";
import { appendTurnEvent, type BufferedEvent, supersededUpdates } from "./turn-buffer.ts";

/** Bytes of JSON that the buffer of one step may hold. */
export const LARGEST_BUFFER = 4 * 2 ** 20;

/** The events of the running step, within bounds. */
export interface CappedBuffer {
  readonly entries: readonly BufferedEvent[];
  append(event: BufferedEvent): void;
}

/**
 * A turn buffer that stays within `limit` bytes of JSON as far as it can. When a tool ends, its earlier updates go.
 * Over the limit, first the updates go that later ones say again, the oldest first; then long texts of tools are
 * shortened to their heads and tails. Starts, ends and messages never go.
 */
export function createCappedBuffer(limit: number = LARGEST_BUFFER): CappedBuffer {
  const entries: BufferedEvent[] = [];
  const weights: number[] = [];
  let weight = 0;
  /** Where to look next: what could not be made small enough is not weighed again at each event. */
  let threshold = limit;

  function weigh(event: BufferedEvent): void {
    const last = entries.length - 1;
    // A growing message is weighed at its end: weighing each of its updates would cost the square of its length.
    if (event.type === "message_update" && weights.length === entries.length) return;
    const bytes = bytesOf(event);
    weight += bytes - (weights[last] ?? 0);
    weights[last] = bytes;
  }

  function replaceAll(kept: readonly BufferedEvent[]): void {
    entries.splice(0, entries.length, ...kept);
    weights.splice(0, weights.length, ...kept.map(bytesOf));
    weight = weights.reduce((sum, bytes) => sum + bytes, 0);
  }

  return {
    entries,
    append(event) {
      if (event.type === "tool_execution_end") {
        const old = updatesSinceStart(entries, event.toolCallId);
        if (old.size > 0) replaceAll(entries.filter((other) => !old.has(other)));
      }
      appendTurnEvent(entries, event);
      weigh(event);
      if (weight <= threshold) return;
      // Well below the limit, or every event from here on would have all of it weighed again.
      replaceAll(shrink(entries, limit * 0.75));
      threshold = weight > limit ? weight * 1.25 : limit;
    },
  };
}

/** The updates of a tool since it was started; an earlier one may have had the same id. */
function updatesSinceStart(events: readonly BufferedEvent[], toolCallId: string): ReadonlySet<BufferedEvent> {
  const updates = new Set<BufferedEvent>();
  for (const event of events.toReversed()) {
    if (event.type === "tool_execution_start" && event.toolCallId === toolCallId) break;
    if (event.type === "tool_execution_update" && event.toolCallId === toolCallId) updates.add(event);
  }
  return updates;
}

function shrink(events: readonly BufferedEvent[], target: number): readonly BufferedEvent[] {
  return shortenUntil(withoutSuperseded(events, target), target, shortenTool);
}

/**
 * The events within `bytes` of JSON as far as they can be: long texts of tools are shortened first, then those of all
 * messages. None is left out.
 */
export function fitEvents(events: readonly BufferedEvent[], bytes: number): readonly BufferedEvent[] {
  return shortenUntil(shortenUntil(events, bytes, shortenTool), bytes, shortenAny);
}

function shortenUntil(
  events: readonly BufferedEvent[],
  target: number,
  shorten: (event: BufferedEvent, length: number) => BufferedEvent,
): readonly BufferedEvent[] {
  let fitting = events;
  for (const length of LENGTHS) {
    if (totalOf(fitting) <= target) break;
    fitting = events.map((event) => shorten(event, length));
  }
  return fitting;
}

function withoutSuperseded(events: readonly BufferedEvent[], target: number): readonly BufferedEvent[] {
  let excess = totalOf(events) - target;
  const gone = new Set<number>();
  for (const place of supersededUpdates(events)) {
    const event = events[place];
    if (excess <= 0 || event === undefined) break;
    excess -= bytesOf(event);
    gone.add(place);
  }
  return events.filter((_, place) => !gone.has(place));
}

function shortenTool(event: BufferedEvent, length: number): BufferedEvent {
  switch (event.type) {
    case "tool_execution_update":
    case "tool_execution_end":
      return { ...event, output: headAndTail(event.output, length) };
    case "message_start":
    case "message_end":
      return event.message.role === "toolResult" ? shortenAny(event, length) : event;
    default:
      return event;
  }
}

function shortenAny(event: BufferedEvent, length: number): BufferedEvent {
  return "message" in event ? { ...event, message: shortenMessage(event.message, length) } : event;
}

function totalOf(events: readonly BufferedEvent[]): number {
  return events.reduce((sum, event) => sum + bytesOf(event), 0);
}
