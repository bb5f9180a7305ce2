import * as fc from "fast-check";
import type { AgentEvent } from "../../src/domain/events.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import type { CallFault } from "../../src/playground/bot-api/faults.ts";
import { opens, said, says, thinks, toolEnds, toolStarts } from "../domain/events.ts";
import { nastyMarkdown, referringMarkdown } from "./nasty-markdown.ts";

/** What happens in some chats, and what goes wrong meanwhile. Moments are milliseconds from the beginning. */
export interface Scenario {
  readonly chats: readonly ChatScript[];
  readonly troubles: readonly Trouble[];
}

export interface ChatScript {
  readonly turns: readonly TurnScript[];
  /** When a command is answered. */
  readonly replies: readonly number[];
  /** When the person deletes one of the bot's messages, and which of those that are there. */
  readonly deletions: readonly { readonly at: number; readonly which: number }[];
}

export interface TurnScript {
  /** From the end of the turn before. */
  readonly pause: number;
  readonly steps: readonly StepScript[];
  readonly outcome: TurnOutcome;
  /** How much of the steps has happened at the end, in thousandths. */
  readonly reached: number;
}

export interface StepScript {
  readonly text: string;
  /** Where the text is cut into deltas, in thousandths. */
  readonly cuts: readonly number[];
  /** Between two deltas. */
  readonly gap: number;
  readonly thinking: boolean;
  /** The first attempt fails, and what it said leaves every face. */
  readonly retried: boolean;
  readonly tool?: { readonly summary: string; readonly output: string; readonly ms: number };
}

export type Trouble = { readonly at: number } & (
  | { readonly kind: "call"; readonly fault: CallFault }
  | { readonly kind: "outage"; readonly ms: number }
  /** Telegram takes the entities of so many calls for wrong. */
  | { readonly kind: "entities"; readonly times: number }
);

export interface TimedEvent {
  /** Since the event before. */
  readonly after: number;
  readonly event: AgentEvent;
}

/** Everything that the agent says in a turn, up to where it ended. */
export function eventsOf({ steps, outcome, reached }: TurnScript): readonly TimedEvent[] {
  const all = steps.flatMap((step, at) => eventsOfStep(step, `m${at}`));
  return outcome.type === "done" ? all : all.slice(0, Math.floor((all.length * reached) / 1_000));
}

function eventsOfStep(step: StepScript, key: string): readonly TimedEvent[] {
  const { text, gap, thinking, retried, tool } = step;
  const events: TimedEvent[] = [];
  const happens = (after: number, event: AgentEvent): void => void events.push({ after, event });
  if (retried) {
    const first = `${key}-failed`;
    happens(gap, opens(first));
    happens(gap, says(first, text));
    happens(gap, { type: "message_discard", key: first });
    const notice = { type: "retrying", attempt: 1, maxAttempts: 3, delayMs: 2_000, reason: text } as const;
    happens(0, { type: "notice", notice });
    happens(2_000, opens(key));
  } else {
    happens(gap, opens(key));
  }
  if (thinking) happens(gap, thinks(key, "hm", 1));
  for (const piece of pieces(step)) happens(gap, says(key, piece));
  happens(gap, said(key, text));
  if (tool !== undefined) {
    happens(0, toolStarts(key, "bash", tool.summary));
    happens(tool.ms / 2, {
      type: "tool_execution_update",
      toolCallId: key,
      toolName: "bash",
      output: tool.output,
    });
    happens(tool.ms / 2, toolEnds(key));
  }
  return events;
}

function pieces({ text, cuts }: StepScript): readonly string[] {
  const places = cuts.map((cut) => Math.floor((text.length * cut) / 1_000)).toSorted((a, b) => a - b);
  return [...places, text.length].map((place, at) => text.slice(places[at - 1] ?? 0, place));
}

const MOST_MARKDOWN = 60_000;

const answer = fc
  .record({
    text: fc.oneof(nastyMarkdown, referringMarkdown),
    times: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 2, arbitrary: fc.nat(60) }),
  })
  .map(({ text, times }) => `${text}\n\n`.repeat(times).slice(0, MOST_MARKDOWN));

const step: fc.Arbitrary<StepScript> = fc.record(
  {
    text: answer,
    cuts: fc.array(fc.nat(1_000), { maxLength: 10 }),
    gap: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(4_000)),
    thinking: fc.boolean(),
    retried: fc.oneof(fc.constant(false), fc.constant(false), fc.boolean()),
    tool: fc.record({
      summary: nastyMarkdown,
      output: fc.string({ unit: "binary", maxLength: 50 }),
      ms: fc.oneof(fc.nat(5_000), fc.nat(40_000)),
    }),
  },
  { requiredKeys: ["text", "cuts", "gap", "thinking", "retried"] },
);

const outcome: fc.Arbitrary<TurnOutcome> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<TurnOutcome>({ type: "done" }) },
  { weight: 2, arbitrary: fc.constant<TurnOutcome>({ type: "replaced" }) },
  { weight: 1, arbitrary: fc.constant<TurnOutcome>({ type: "stopped" }) },
  {
    weight: 1,
    arbitrary: fc.constant<TurnOutcome>({ type: "failed", message: "It could not go on. Ask again." }),
  },
);

const turn: fc.Arbitrary<TurnScript> = fc.record({
  pause: fc.oneof(fc.constant(0), fc.nat(2_000), fc.nat(30_000)),
  steps: fc.array(step, { maxLength: 3 }),
  outcome,
  reached: fc.nat(1_000),
});

/** Everything is over by then, but for what an answer's length makes of it. */
const MOMENTS = fc.oneof(fc.nat(5_000), fc.nat(90_000));

const chat: fc.Arbitrary<ChatScript> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  replies: fc.array(MOMENTS, { maxLength: 5 }),
  deletions: fc.array(fc.record({ at: MOMENTS, which: fc.nat(9) }), { maxLength: 3 }),
});

const SPEAKING = ["sendMessage", "editMessageText", "deleteMessage", "sendDocument", "sendChatAction"];

const scope = fc.record({
  methods: fc.constantFrom<readonly string[]>(
    SPEAKING,
    ["sendMessage"],
    ["editMessageText"],
    ["sendDocument"],
  ),
  times: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 8 })),
});

const side = fc.constantFrom<"before" | "after">("before", "after");

const fault: fc.Arbitrary<CallFault> = fc
  .tuple(
    scope,
    fc.oneof(
      fc.record({ kind: fc.constant("flood" as const), retryAfter: fc.integer({ min: 1, max: 40 }) }),
      fc.constant({ kind: "error" as const, code: 500, description: "Internal Server Error" }),
      fc.constant({ kind: "html" as const, status: 502 }),
      fc.record({ kind: fc.constant("reset" as const), when: side }),
      fc.record({ kind: fc.constant("reset" as const), when: side }),
      fc.record({ kind: fc.constant("hang" as const), when: side }),
      fc.record({ kind: fc.constant("slow" as const), when: side, ms: fc.nat(40_000) }),
      fc.constant({ kind: "cut" as const }),
    ),
  )
  .map(([where, what]) => ({ ...where, ...what }));

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at: MOMENTS, kind: fc.constant("call" as const), fault }) },
  {
    weight: 1,
    arbitrary: fc.record({
      at: MOMENTS,
      kind: fc.constant("outage" as const),
      ms: fc.oneof(fc.nat(5_000), fc.nat(240_000)),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      at: MOMENTS,
      kind: fc.constant("entities" as const),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  chats: fc.oneof(
    { weight: 3, arbitrary: fc.array(chat, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(chat, { minLength: 2, maxLength: 2 }) },
  ),
  troubles: fc.array(trouble, { maxLength: 10 }),
});
