import { describe, expect, test } from "vitest";
import { isRecord } from "../../../src/agent/jsonl.ts";
import { createOutcome } from "../../../src/agent/pi/outcome.ts";
import type { Outcome } from "../../../src/agent/pi/outcome.ts";
import { readLine } from "../../../src/agent/pi/protocol.ts";
import { createTranslator } from "../../../src/agent/pi/translate.ts";
import type { RunEnd } from "../../../src/domain/agent.ts";
import type { AgentEvent } from "../../../src/domain/events.ts";
import { repairText } from "../../../src/domain/text.ts";
import { fold, textsOf } from "../recorder.ts";
import { transcripts } from "./transcripts.ts";
import type { Transcript } from "./transcripts.ts";

interface Replay {
  /** What each run said, and how it ended. */
  readonly runs: readonly { readonly events: AgentEvent[]; readonly end: RunEnd | undefined }[];
}

/** Sends what pi said through protocol and translation, as the driver does. */
function replay({ entries }: Transcript): Replay {
  const translator = createTranslator("k");
  const runs: { events: AgentEvent[]; outcome: Outcome; end: RunEnd | undefined }[] = [];
  let settled = true;
  for (const { dir, rec } of entries) {
    if (dir === "in" && rec["type"] === "prompt" && settled) {
      translator.begin(String(rec["message"]));
      runs.push({ events: [], outcome: createOutcome(), end: undefined });
      settled = false;
    }
    const run = runs.at(-1);
    if (dir !== "out" || run === undefined) continue;
    const record = readLine(JSON.stringify(rec));
    if (record === "bad") throw new Error(`no record: ${JSON.stringify(rec)}`);
    if (record === "ignored") continue;
    run.outcome.see(record);
    if (record.type === "agent_settled") {
      run.end = run.outcome.end(record.aborted);
      settled = true;
    }
    run.events.push(...translator.translate(record, 1));
  }
  return { runs };
}

function find(name: string): Transcript {
  const found = transcripts.find((transcript) => transcript.name === name);
  if (found === undefined) throw new Error(`no transcript ${name}`);
  return found;
}

/** The texts of the messages that pi itself gave as final, without attempts that it took back. */
function finalTexts({ entries }: Transcript): readonly string[] {
  const texts: string[] = [];
  for (const { dir, rec } of entries) {
    if (dir !== "out") continue;
    const { message } = rec;
    if (rec["type"] === "auto_retry_start") texts.pop();
    if (rec["type"] !== "message_end" || !isRecord(message) || message["role"] !== "assistant") continue;
    const content = Array.isArray(message["content"]) ? message["content"] : [];
    texts.push(
      content
        .map((part: unknown) =>
          isRecord(part) && typeof part["text"] === "string" ? repairText(part["text"]) : "",
        )
        .join(""),
    );
  }
  return texts;
}

describe.each(transcripts.map((transcript) => [transcript.name, transcript] as const))(
  "the recorded conversation %s",
  (_name, transcript) => {
    const { runs } = replay(transcript);
    const events = runs.flatMap((run) => run.events);

    test("folds to the final texts, and retries leave no trace", () => {
      expect(textsOf(fold(events), "assistant")).toEqual(finalTexts(transcript));
    });

    test("has one end for each message, under a key of its own", () => {
      const starts = events.flatMap((event) => (event.type === "message_start" ? [event.key] : []));
      const ends = events.flatMap((event) => (event.type === "message_end" ? [event.key] : []));
      expect(new Set(starts).size).toBe(starts.length);
      // The last message of a process that was killed has none.
      expect(starts.slice(0, ends.length)).toEqual(ends);
    });

    test("builds each text from its deltas alone, as far as they were recorded", () => {
      const trimmed = transcript.entries.some(({ dir, rec }) => dir === "note" && "trimmed" in rec);
      const full = textsOf(fold(events), "assistant");
      const built = textsOf(
        fold(
          events.map((event) =>
            event.type === "message_end" && event.message.role === "assistant" ? { type: "turn_end" } : event,
          ),
        ),
        "assistant",
      );
      expect(trimmed || shortened(built) || JSON.stringify(built) === JSON.stringify(full)).toBe(true);
      expect(built).toHaveLength(full.length);
    });

    test("shows messages of people, the model and tools only, and all tools end", () => {
      for (const { role } of fold(events).messages)
        expect(["user", "assistant", "toolResult"]).toContain(role);
      for (const run of runs) {
        const tools = fold(run.events).tools.filter((tool) => tool.endedAt === undefined);
        expect(run.end === undefined ? [] : tools).toEqual([]);
      }
    });
  },
);

/** Long strings of the recordings were shortened, in a message's end and in its deltas differently. */
function shortened(texts: readonly string[]): boolean {
  return texts.some((text) => text.length > 1_200);
}

describe("what the recorded conversations meant", () => {
  test.each([
    ["text-plain", [{ type: "done" }]],
    ["abort-midstream", [{ type: "aborted" }, { type: "done" }]],
    ["abort-long-tool", [{ type: "aborted" }, { type: "done" }, { type: "aborted" }]],
    ["provider-500-twice-then-ok", [{ type: "done" }]],
    [
      "provider-500-forever",
      [
        {
          type: "failed",
          failure: {
            type: "model_failed",
            reason: "the provider's server failed (500). Wait a minute, then send the message again.",
          },
        },
      ],
    ],
  ])("%s ended so", (name, ends) => {
    expect(replay(find(name)).runs.map((run) => run.end)).toEqual(ends);
  });

  const noticesOf = (name: string): readonly string[] =>
    replay(find(name)).runs.flatMap((run) =>
      run.events.flatMap((event) => (event.type === "notice" ? [event.notice.type] : [])),
    );

  test("each new attempt is told", () => {
    expect(noticesOf("provider-500-twice-then-ok")).toEqual(["retrying", "retrying"]);
  });

  test("a compaction is told", () => {
    expect(noticesOf("compaction")).toEqual(["compacting"]);
  });

  test("a picture that pi left out is told, once for each", () => {
    const omitted = noticesOf("images").filter((type) => type === "image_omitted");
    const said = find("images").entries.filter(
      ({ dir, rec }) =>
        dir === "out" &&
        rec["type"] === "message_start" &&
        JSON.stringify(rec).includes('"role":"user"') &&
        JSON.stringify(rec).includes("[Image omitted"),
    );
    expect(omitted).toHaveLength(said.length);
    expect(omitted.length).toBeGreaterThan(0);
  });

  test("an answer says which model gave it and what it cost, once it has ended", () => {
    const [run] = replay(find("text-plain")).runs;
    const messages = (run?.events ?? []).flatMap((event) =>
      event.type === "message_start" || event.type === "message_end"
        ? [
            {
              type: event.type,
              role: event.message.role,
              usage: event.message.usage,
              model: event.message.model,
            },
          ]
        : [],
    );
    const said = messages.filter(({ role }) => role === "assistant");
    expect(said).toEqual([
      { type: "message_start", role: "assistant", usage: undefined, model: "mock/mock-1" },
      {
        type: "message_end",
        role: "assistant",
        model: "mock/mock-1",
        usage: { input: 1350, output: 8, cacheRead: 0, cacheWrite: 0, cost: expect.closeTo(0.001366, 9) },
      },
    ]);
  });

  test("the messages and faults of extensions are told", () => {
    const types = new Set(noticesOf("extension-ui"));
    expect(types).toEqual(new Set(["extension_message"]));
  });

  test("tools are named by what they were called for", () => {
    const summaries = replay(find("edit-write-read")).runs.flatMap((run) =>
      fold(run.events).tools.map((tool) => `${tool.name}: ${tool.summary}`),
    );
    expect(summaries).toEqual(["read: a.txt", "edit: a.txt", "write: sub/b.txt"]);
  });

  test("tools that ran side by side keep their own output", () => {
    const [run] = replay(find("parallel-tools")).runs;
    const outputs = fold(run?.events ?? []).tools.map((tool) => [tool.id, tool.output]);
    expect(outputs).toEqual([
      ["A", "A\n"],
      ["B", "B\n"],
      ["C", "C\n"],
    ]);
  });
});
