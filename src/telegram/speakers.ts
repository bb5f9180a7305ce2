import type { ChatPlace } from "../domain/ids.ts";
import type { Answer, Call } from "./calls.ts";

/** How much something matters: sends and finals before edits, and a sign of life last. */
export type Urgency = "message" | "edit" | "typing";

export interface Wish {
  readonly urgency: Urgency;
  /** Not before this moment, in the clock's milliseconds. */
  readonly at: number;
  /** A person waits for it right now: it may overdraw the chat's budget. */
  readonly awaited?: boolean;
}

/** Somebody who wants to speak in a chat. It is asked for its words only when its turn comes, so they are the newest. */
export interface Speaker {
  readonly place: ChatPlace;
  /** What it would say, and from when on. Cheap: it is asked often. */
  wishes(now: number): readonly Wish[];
  /** What it says now. Undefined declines; it is then not asked for a moment, unless somebody wakes the outbox. */
  speak(urgency: Urgency, now: number): Call | undefined;
  /** What became of its call. Not told of what is simply tried again: a rest, an outage. */
  heard(call: Call, answer: Answer): void;
  /** True once it will never speak again. */
  readonly finished: boolean;
}

/** Everybody who wants to speak in one chat. */
export interface Speakers {
  add(speaker: Speaker): void;
  /** Nobody is left who will ever speak. */
  readonly empty: boolean;
  /** The first of each thread: a turn's messages come after everything of the turn before it. */
  first(): readonly Speaker[];
  /** Asks a speaker; undefined when it throws. Then it is dropped, or nobody behind it would ever speak. */
  ask<Value>(speaker: Speaker, question: () => Value): Value | undefined;
}

/** `fault` hears of a speaker that threw, which is a fault of evie's own. */
export function createSpeakers(fault: (speaker: Speaker, error: unknown) => void): Speakers {
  const speakers = new Set<Speaker>();

  function dropFinished(): void {
    for (const speaker of speakers) if (speaker.finished) speakers.delete(speaker);
  }

  return {
    add: (speaker) => {
      speakers.add(speaker);
    },
    get empty() {
      dropFinished();
      return speakers.size === 0;
    },
    first() {
      dropFinished();
      const first = new Map<number | undefined, Speaker>();
      for (const speaker of speakers) {
        if (!first.has(speaker.place.threadId)) first.set(speaker.place.threadId, speaker);
      }
      return [...first.values()];
    },
    ask(speaker, question) {
      try {
        return question();
      } catch (error) {
        speakers.delete(speaker);
        fault(speaker, error);
        return undefined;
      }
    },
  };
}
