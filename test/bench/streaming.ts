import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { EDIT_THROTTLE } from "../../src/telegram/timing.ts";
import { FAKE_AGENT, type RunningEvie, startEvie, type Visitor } from "../running-evie.ts";
import { readNotes, startBareRelay } from "./bare.ts";
import type { BenchRow } from "./row.ts";

const DELTAS = 2_000;
const SPREAD = 20_000;
/** Edits and sends of the answer that are neither too few to follow nor too many to tolerate. */
const FEWEST_EDITS = 12;
const MOST_EDITS = 22;
/** Milliseconds that text may be older on the screen than the throttle. */
const MOST_STALE = EDIT_THROTTLE + 300;
/** Milliseconds from the agent's last word to the final text, and from a command to its reply. */
const MOST_LATE = 300;
/** Seconds of evie's processor time for the whole answer. */
const MOST_PROCESSOR = 0.5;
/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

/**
 * How a long answer streams into a private chat, under the flood model: the first one after a start, for which V8 still
 * compiles, and another one in another chat, as all later ones are.
 */
export async function benchStreaming(): Promise<readonly BenchRow[]> {
  await using evie = await startEvie({
    env: { LOG_LEVEL: "warn" },
    api: { flood: true },
    prepare: async (folder) => ({
      EVIE_AGENT_COMMAND: `"${process.execPath}" "${FAKE_AGENT}"`,
      FAKE_AGENT_LOG: join(folder, "agent.log"),
    }),
  });
  const first = await benchAnswer(evie);
  const helpAfter = await benchHelp(evie.visitor());
  const later = await benchAnswer(evie);
  const answers = [first, later];
  const oldest = Math.max(...answers.map((answer) => answer.oldest));
  const finalAfter = Math.max(...answers.map((answer) => answer.finalAfter));
  const violations =
    evie.api.flood.violations.length + evie.api.calls.filter(({ status }) => status === 429).length;
  return [
    row(
      `edits of ${DELTAS} deltas in ${SPREAD / 1_000} s`,
      answers.map(({ edits }) => edits).join(" and "),
      `${FEWEST_EDITS} to ${MOST_EDITS}`,
      answers.every(({ edits }) => edits >= FEWEST_EDITS && edits <= MOST_EDITS),
    ),
    row("429 answers and calls into a rest", `${violations}`, "none", violations === 0),
    row(
      "oldest text missing on the screen",
      `${oldest.toFixed(0)} ms`,
      `at most ${MOST_STALE} ms`,
      oldest <= MOST_STALE,
    ),
    row(
      "agent's end → final text",
      `${finalAfter.toFixed(0)} ms`,
      `at most ${MOST_LATE} ms`,
      finalAfter <= MOST_LATE,
    ),
    row(
      "/help in mid-stream → its reply",
      `${helpAfter.toFixed(0)} ms`,
      `at most ${MOST_LATE} ms`,
      helpAfter <= MOST_LATE,
    ),
    processorRow("evie's processor time, first answer after a start", first),
    processorRow("evie's processor time, a later answer", later),
    row(
      "a bare relay's, which parses them and shows nothing",
      `${(await benchBareRelay()).toFixed(2)} s`,
      "-",
      true,
    ),
  ];
}

interface StreamedAnswer {
  /** Changes of the screen. */
  readonly edits: number;
  /** Milliseconds that the oldest word had been said without being on the screen. */
  readonly oldest: number;
  /** Milliseconds from the agent's end to the final text. */
  readonly finalAfter: number;
  /** Seconds. */
  readonly processor: number;
}

async function benchAnswer(evie: RunningEvie): Promise<StreamedAnswer> {
  const anna = evie.visitor();
  await anna.say('warm up FAKE{"text":"Warm."}');
  await anna.hears(({ text }) => text === "Warm.", "the first answer");

  const callsBefore = anna.calls().length;
  const processorBefore = await processorSeconds(evie.process.pid ?? 0);
  await anna.say(`stream FAKE${JSON.stringify({ deltas: DELTAS, overMs: SPREAD })}`);
  await anna.hears(({ text }) => text.trimEnd().endsWith(word(DELTAS)), "the whole answer", 2 * SPREAD);
  const processor = (await processorSeconds(evie.process.pid ?? 0)) - processorBefore;

  const { first, last, settled } = await moments(join(evie.folder, "agent.log"));
  const shown = lookings(anna, callsBefore);
  const finalAt = shown.findLast(({ upTo }) => upTo === DELTAS)?.at ?? Number.NaN;
  const deltaAt = (number: number): number => first + ((number - 1) / (DELTAS - 1)) * (last - first);
  // Until the next change of the screen, the first word that is not on it grows old.
  const stale = shown.slice(0, -1).map(({ upTo }, index) => (shown[index + 1]?.at ?? 0) - deltaAt(upTo + 1));
  return { edits: shown.length, oldest: Math.max(...stale), finalAfter: finalAt - settled, processor };
}

function processorRow(name: string, { processor }: StreamedAnswer): BenchRow {
  return row(name, `${processor.toFixed(2)} s`, `at most ${MOST_PROCESSOR} s`, processor <= MOST_PROCESSOR);
}

/** Seconds of processor time that the machine takes merely to bring as many pieces from one process to another. */
async function benchBareRelay(): Promise<number> {
  await using relay = await startBareRelay();
  await relay.person.say("warm up");
  await relay.settled(1);
  const before = await processorSeconds(relay.pid);
  await relay.person.say(`stream FAKE${JSON.stringify({ deltas: DELTAS, overMs: SPREAD })}`);
  await relay.settled(2);
  return (await processorSeconds(relay.pid)) - before;
}

/** Milliseconds from a command in the middle of an answer to its reply. In a chat of its own: it takes an edit's place. */
async function benchHelp(anna: Visitor): Promise<number> {
  await anna.say(`stream FAKE${JSON.stringify({ deltas: 500, overMs: 5_000 })}`);
  await anna.hears(({ text }) => text.includes(word(200)), "a part of the answer");
  const asked = performance.now();
  await anna.say("/help");
  await anna.hears(({ text }) => text.includes("/clear"), "the help");
  const elapsed = performance.now() - asked;
  await anna.hears(({ text }) => text.trimEnd().endsWith(word(500)), "the whole answer");
  return elapsed;
}

/** Each change of the answer on the screen: when it was asked for, and the last word that it showed. */
function lookings(anna: Visitor, from: number): readonly { readonly at: number; readonly upTo: number }[] {
  return anna
    .calls()
    .slice(from)
    .flatMap(({ at, payload }) => {
      const number = Number(/w(\d{4,}) ?\n*[^w]*$/.exec(textOf(payload["text"]))?.[1] ?? Number.NaN);
      return Number.isNaN(number) ? [] : [{ at: performance.timeOrigin + at, upTo: number }];
    });
}

async function moments(path: string): Promise<{ first: number; last: number; settled: number }> {
  const notes = await readNotes(path);
  const last = (event: string): number => notes.findLast((note) => note.event === event)?.at ?? Number.NaN;
  return { first: last("first_delta"), last: last("last_delta"), settled: last("settled") };
}

async function processorSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function word(number: number): string {
  return `w${String(number).padStart(4, "0")}`;
}

function row(name: string, value: string, limit: string, ok: boolean): BenchRow {
  return { name, value, limit, ok };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
