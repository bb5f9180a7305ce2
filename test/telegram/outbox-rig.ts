import type { ChatPlace } from "../../src/domain/ids.ts";
import { createBackoff } from "../../src/telegram/backoff.ts";
import { type Budget, createBudget, GLOBAL_BUDGET, PRIVATE_BUDGET } from "../../src/telegram/budget.ts";
import type { Answer, Call } from "../../src/telegram/calls.ts";
import type { FormattedText } from "../../src/telegram/entities.ts";
import { createOutbox, type Outbox } from "../../src/telegram/outbox.ts";
import type { Speaker, Wish } from "../../src/telegram/speakers.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog, type MemoryLog } from "../fakes/memory-log.ts";

/** A call as it arrived at the far side. */
export interface Arrival {
  readonly at: number;
  readonly place: ChatPlace;
  readonly call: Call;
}

export interface OutboxRig {
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  readonly outbox: Outbox;
  readonly arrivals: readonly Arrival[];
  /** The texts that arrived; a call without one by its type. */
  said(): readonly string[];
  /** The answers that come next; when there are none left, everything is done. */
  readonly answers: Answer[];
  /** Milliseconds until a call is answered. */
  latency: number;
  /** Until then no call is answered. */
  outage: { readonly until: number };
  /** Calls under way at the same time, at most. */
  readonly mostAtOnce: number;
}

export const HERE: ChatPlace = { chatId: 7 };

export function startOutbox(budgets: { budget?: Budget; shared?: Budget } = {}): OutboxRig {
  const clock = createFakeClock();
  const log = createMemoryLog();
  const arrivals: Arrival[] = [];
  const answers: Answer[] = [];
  let atOnce = 0;
  let lastId = 100;
  const rig = {
    clock,
    log,
    arrivals,
    answers,
    latency: 0,
    outage: { until: 0 },
    mostAtOnce: 0,
    said: () => arrivals.map(({ call }) => ("content" in call ? call.content.text : call.type)),
    outbox: createOutbox({
      clock,
      log,
      budget: budgets.budget ?? createBudget(PRIVATE_BUDGET),
      shared: budgets.shared ?? createBudget(GLOBAL_BUDGET),
      backoff: createBackoff(() => 0.5),
      perform: async (place, call) => {
        arrivals.push({ at: clock.now(), place, call });
        atOnce += 1;
        rig.mostAtOnce = Math.max(rig.mostAtOnce, atOnce);
        if (rig.latency > 0) await clock.sleep(rig.latency);
        atOnce -= 1;
        if (clock.now() < rig.outage.until) return { type: "unreachable", reason: "connect ECONNREFUSED" };
        return answers.shift() ?? { type: "done", messageId: (lastId += 1) };
      },
    }),
  };
  return rig;
}

export function text(content: string): FormattedText {
  return { text: content, entities: [] };
}

/** A speaker that is worked by hand: it says the words that it holds, one call each. */
export interface HandSpeaker extends Speaker {
  readonly words: (Wish & { readonly text: string })[];
  readonly heardOf: (readonly [Call, Answer])[];
  asked: number;
  done: boolean;
}

export function handSpeaker(place: ChatPlace = HERE): HandSpeaker {
  const speaker: HandSpeaker = {
    place,
    words: [],
    heardOf: [],
    asked: 0,
    done: false,
    get finished() {
      return speaker.done && speaker.words.length === 0;
    },
    wishes: (): readonly Wish[] => speaker.words.slice(0, 1),
    speak() {
      speaker.asked += 1;
      const [word] = speaker.words;
      if (word === undefined) return undefined;
      if (word.urgency === "typing") return { type: "typing" };
      if (word.urgency === "edit") return { type: "edit", messageId: 1, content: text(word.text) };
      return { type: "send", content: text(word.text), silent: true };
    },
    heard(call, answer) {
      speaker.words.shift();
      speaker.heardOf.push([call, answer]);
    },
  };
  return speaker;
}
