import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { DEBOUNCE_WINDOW } from "../../src/telegram/timing.ts";
import type { BotApi } from "../../src/playground/bot-api/bot-api.ts";
import { FAKE_AGENT, startEvie } from "../running-evie.ts";
import { readNotes, startBareRelay } from "./bare.ts";
import type { BenchRow } from "./row.ts";

const CHATS = 2;
const ROUNDS = 24;
/** Milliseconds from an answer to the next message: who writes has read, and evie has written down that it is done. */
const READING = 300;

/** Milliseconds that evie may add to the window until the prompt is on the agent's stdin. */
const MOST_TO_PROMPT = 10;
/** Milliseconds more until the placeholder is asked for. */
const MOST_TO_PLACEHOLDER = 50;

/**
 * How long a message takes from its arrival at evie to the agent's stdin, and to the placeholder. Each chat's agent
 * is warm, and each chat rests between its turns, so that no budget of Telegram's counts into it.
 */
export async function benchLatency(): Promise<readonly BenchRow[]> {
  await using evie = await startEvie({
    env: { LOG_LEVEL: "warn" },
    prepare: async (folder) => ({
      EVIE_AGENT_COMMAND: `"${process.execPath}" "${FAKE_AGENT}"`,
      FAKE_AGENT_LOG: join(folder, "agent.log"),
    }),
  });
  const visitors = Array.from({ length: CHATS }, () => evie.visitor());
  const asked = new Map<string, { readonly arrived: number; readonly placeholder: number }>();

  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, visitor] of visitors.entries()) {
      const mark = `mark-${round}-${index}-`;
      await sleep(READING);
      const calls = visitor.calls().length;
      const [message] = await visitor.say(mark);
      await visitor.hears(({ text }) => text === `Echo: ${mark}`, "the echo");
      const arrived = arrivalOf(evie.api, message?.message_id);
      const placeholder = visitor.calls()[calls];
      // The first round starts the agents; it is not counted.
      if (round === 0 || arrived === undefined || placeholder === undefined) continue;
      asked.set(mark, { arrived, placeholder: performance.timeOrigin + placeholder.at });
    }
  }

  const prompts = await readPrompts(join(evie.folder, "agent.log"));
  const toPrompt: number[] = [];
  const toPlaceholder: number[] = [];
  for (const [mark, { arrived, placeholder }] of asked) {
    const prompted = prompts.get(mark);
    if (prompted === undefined) throw new Error(`${mark} never reached an agent`);
    toPrompt.push(prompted - arrived - DEBOUNCE_WINDOW);
    toPlaceholder.push(placeholder - arrived - DEBOUNCE_WINDOW);
  }
  return [
    row("message → prompt on the agent's stdin, beyond the window", toPrompt, MOST_TO_PROMPT),
    row("the same through a bare relay", await benchBareRelay()),
    row(
      "message → placeholder asked for, beyond the window",
      toPlaceholder,
      MOST_TO_PROMPT + MOST_TO_PLACEHOLDER,
    ),
  ];
}

/** What the machine itself takes for it: the way of a message through nothing but a poll, a timer and a pipe. */
async function benchBareRelay(): Promise<number[]> {
  await using relay = await startBareRelay();
  const arrivals = new Map<string, number>();
  for (let round = 0; round <= CHATS * ROUNDS; round += 1) {
    await sleep(READING);
    const mark = `mark-${round}-`;
    const [message] = await relay.person.say(mark);
    await relay.settled(round + 1);
    const arrived = arrivalOf(relay.api, message?.message_id);
    if (round > 0 && arrived !== undefined) arrivals.set(mark, arrived);
  }
  const prompts = await readPrompts(relay.agentLog);
  return [...arrivals].map(
    ([mark, arrived]) => (prompts.get(mark) ?? Number.NaN) - arrived - DEBOUNCE_WINDOW,
  );
}

/** When the poll that carried the message was answered, in milliseconds since 1970. */
function arrivalOf(api: BotApi, messageId: number | undefined): number | undefined {
  const at = api
    .callsOf("getUpdates")
    .findLast(({ result }) =>
      JSON.stringify(result ?? []).includes(`"message_id":${messageId},`),
    )?.answeredAt;
  return at === undefined ? undefined : performance.timeOrigin + at;
}

async function readPrompts(path: string): Promise<ReadonlyMap<string, number>> {
  const notes = await readNotes(path);
  const prompts = notes.flatMap(({ at, record }) =>
    record?.type === "prompt" ? [[record.message ?? "", at] as const] : [],
  );
  return new Map(prompts);
}

function row(name: string, values: number[], most?: number): BenchRow {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  const [median, p95] = [at(0.5), at(0.95)];
  return {
    name,
    value: `median ${median.toFixed(1)} ms, 95th percentile ${p95.toFixed(1)} ms (${sorted.length} messages)`,
    limit: most === undefined ? "-" : `95th percentile at most ${most} ms`,
    ok: most === undefined || p95 <= most,
  };
}
