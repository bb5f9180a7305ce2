import { chmod, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import type { AgentCommand } from "../../../src/agent/find-agent.ts";
import type { AgentEvent, Notice } from "../../../src/domain/events.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { fold, textsOf } from "../recorder.ts";
import {
  FAKE_AGENT,
  isRunning,
  notesOf,
  openBench,
  openFakeBench,
  receivedBy,
  textPrompt,
} from "../subjects.ts";
import type { Bench } from "../subjects.ts";

const isUpdate = (event: AgentEvent): boolean => event.type === "message_update";

function noticesOf(events: readonly AgentEvent[]): readonly Notice[] {
  return events.flatMap((event) => (event.type === "notice" ? [event.notice] : []));
}

async function pidOf(bench: Bench): Promise<number> {
  const start = (await notesOf(bench)).find(({ event }) => event === "start");
  return start?.pid ?? 0;
}

describe("the start of an agent", () => {
  test("asks for its state at once, on its own session file", async () => {
    await using bench = await openFakeBench();
    const { agent } = bench.start("mine.jsonl");
    expect(await agent.ready).toBeUndefined();
    const [start, first] = await notesOf(bench);
    expect(start).toMatchObject({
      event: "start",
      args: expect.arrayContaining(["--mode", "rpc", "--session", join(bench.folder, "mine.jsonl")]),
    });
    expect(first).toMatchObject({ event: "received", record: { type: "get_state" } });
  });

  test("may take its time", async () => {
    await using bench = await openFakeBench({ readyMs: 300 });
    expect(await bench.start().agent.ready).toBeUndefined();
  });

  test("fails with the code and the last words of a program that ends", async () => {
    await using bench = await openFakeBench({
      exit: { code: 3, stderr: "one moment\n\u001b[31mno such model\u001b[0m\n\n" },
    });
    const { agent } = bench.start();
    expect(await agent.ready).toEqual({
      type: "start_failed",
      exit: { code: 3, lastWords: "no such model" },
    });
    await expect(agent.gone).resolves.toBeUndefined();
  });

  test("is given up after thirty seconds, and the program is gone by then", async () => {
    const clock = createFakeClock();
    await using bench = await openFakeBench({ neverReady: true }, { clock });
    const { agent } = bench.start();
    await expect
      .poll(() => receivedBy(bench, "get_state").catch(() => []), { timeout: 10_000 })
      .toHaveLength(1);
    await clock.advance(29_999);
    expect(isRunning(await pidOf(bench))).toBe(true);
    await clock.advance(1);
    expect(await agent.ready).toEqual({ type: "start_timeout", seconds: 30 });
    expect(isRunning(await pidOf(bench))).toBe(false);
    expect(await agent.run(textPrompt("hello")).ended).toEqual({
      type: "failed",
      failure: { type: "start_timeout", seconds: 30 },
    });
  });

  test("may take a minute longer when its session file holds 600 MB, and then says so", async () => {
    const clock = createFakeClock();
    await using bench = await openFakeBench({ neverReady: true }, { clock });
    const file = join(bench.folder, "large.jsonl");
    await writeFile(file, '{"type":"session","id":"1"}\n');
    await truncate(file, 600e6);
    const { agent } = bench.start("large.jsonl");
    await expect
      .poll(() => receivedBy(bench, "get_state").catch(() => []), { timeout: 10_000 })
      .toHaveLength(1);
    await clock.advance(89_999);
    expect(isRunning(await pidOf(bench))).toBe(true);
    await clock.advance(1);
    const reason = "it is too large for the agent, 600 MB";
    expect(await agent.ready).toEqual({ type: "history_unusable", file, reason });
  });

  test("fails without a program when the session file is a folder", async () => {
    await using bench = await openFakeBench();
    await mkdir(join(bench.folder, "folder.jsonl"));
    const { agent } = bench.start("folder.jsonl");
    const failure = {
      type: "history_unusable",
      file: join(bench.folder, "folder.jsonl"),
      reason: "it is a folder",
    };
    expect(await agent.ready).toEqual(failure);
    expect(await agent.run(textPrompt("hello")).ended).toEqual({ type: "failed", failure });
    await expect(notesOf(bench)).rejects.toThrow("ENOENT");
  });

  test("sets a session file aside that the agent calls no session, and the next start begins anew", async () => {
    await using bench = await openFakeBench({
      exit: { code: 1, stderr: "Error: Session file is not a valid pi session: here\n" },
    });
    await writeFile(join(bench.folder, "odd.jsonl"), '{"type":"session","id":"1"}\n');
    const movedTo = join(bench.folder, "odd.jsonl.damaged");
    expect(await bench.start("odd.jsonl").agent.ready).toEqual({ type: "history_damaged", movedTo });
    expect(await readFile(movedTo, "utf8")).toContain("session");
  });

  test("fails as missing when there is no such program", async () => {
    await using bench = await openBench({
      command: { file: "/nowhere/pi", args: ["--fast"], from: "configured" },
    });
    const { agent } = bench.start();
    expect(await agent.ready).toEqual({ type: "missing", command: "/nowhere/pi --fast" });
    await agent.gone;
    expect(await agent.run(textPrompt("hello")).accepted).toBe(false);
  });

  test("fails as missing when none was found", async () => {
    await using bench = await openBench({ command: undefined });
    const { agent } = bench.start();
    expect(await agent.ready).toEqual({ type: "missing", command: "pi" });
    await agent.gone;
    const run = agent.run(textPrompt("hello"));
    expect(await run.accepted).toBe(false);
    expect(await run.ended).toMatchObject({ type: "failed", failure: { type: "missing" } });
  });

  test("finds an agent that was installed after evie's start", async () => {
    const machine: { command?: AgentCommand } = {};
    await using bench = await openBench(machine);
    expect(await bench.start().agent.ready).toEqual({ type: "missing", command: "pi" });
    machine.command = { file: process.execPath, args: [FAKE_AGENT], from: "path" };
    expect(await bench.start().agent.ready).toBeUndefined();
  });

  test("fails with the system's words when the program may not be run", async () => {
    await using bench = await openFakeBench();
    const file = join(bench.folder, "secret");
    await writeFile(file, "");
    await chmod(file, 0o600);
    await using refused = await openBench({ command: { file, args: [], from: "configured" } });
    expect(await refused.start().agent.ready).toMatchObject({
      type: "start_failed",
      exit: { lastWords: expect.stringContaining("EACCES") },
    });
  });

  test.each(["gone", "file"])("says that the session's folder is gone (%s)", async (name) => {
    await using bench = await openFakeBench();
    const cwd = join(bench.folder, name);
    if (name === "file") await writeFile(cwd, "");
    await using lost = await openFakeBench({}, { cwd });
    expect(await lost.start().agent.ready).toEqual({ type: "workspace_gone", cwd });
  });

  test("can be dismissed before it is done", async () => {
    await using bench = await openFakeBench({ readyMs: 60_000 });
    const { agent } = bench.start();
    await Promise.all([agent.dismiss(), agent.dismiss()]);
    expect(await agent.ready).toMatchObject({ type: "start_failed" });
    await agent.gone;
    expect(await agent.run(textPrompt("hello")).ended).toEqual({ type: "aborted" });
  });
});

describe("a prompt", () => {
  test("is written as one line, its pictures in base64", async () => {
    await using bench = await openFakeBench();
    const path = join(bench.folder, "picture");
    await writeFile(path, Buffer.alloc(3_000_000, 7));
    const { agent } = bench.start();
    await agent.ready;
    const images = [
      { path, mimeType: "image/png" },
      { path, mimeType: "image/webp" },
    ] as const;
    const run = agent.run({ text: "look\u2028here", images, files: [] });
    expect(await run.ended).toEqual({ type: "done" });
    const [prompt] = await receivedBy(bench, "prompt");
    expect(prompt?.record).toEqual({
      id: expect.any(String),
      type: "prompt",
      message: "look\u2028here",
      images: [
        { type: "image", data: 4_000_000, mimeType: "image/png" },
        { type: "image", data: 4_000_000, mimeType: "image/webp" },
      ],
    });
  });

  test("may be pictures alone, and has no field for pictures without any", async () => {
    await using bench = await openFakeBench();
    const path = join(bench.folder, "picture");
    await writeFile(path, "x");
    const { agent } = bench.start();
    await agent.ready;
    await agent.run({ text: "", images: [{ path, mimeType: "image/gif" }], files: [] }).ended;
    await agent.run(textPrompt("text alone")).ended;
    const [first, second] = await receivedBy(bench, "prompt");
    expect(first?.record).toMatchObject({ message: "", images: [{ mimeType: "image/gif" }] });
    expect(second?.record).not.toHaveProperty("images");
  });

  test("goes without a picture that cannot be read, and the person is told", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const images = [{ path: join(bench.folder, "nothing"), mimeType: "image/png" }] as const;
    const run = started.agent.run({ text: "what is this?", images, files: [] });
    expect(await run.ended).toEqual({ type: "done" });
    expect(noticesOf(started.events)).toEqual([{ type: "image_omitted" }]);
    expect((await receivedBy(bench, "prompt"))[0]?.record).not.toHaveProperty("images");
    const empty = started.agent.run({ text: " ", images, files: [] });
    expect(await empty.accepted).toBe(false);
    expect(await empty.ended).toMatchObject({ type: "failed", failure: { type: "internal" } });
    expect(await receivedBy(bench, "prompt")).toHaveLength(1);
  });

  test("of 200,000 characters arrives whole, and waits for its answer as long as that takes", async () => {
    await using bench = await openFakeBench();
    const { agent } = bench.start();
    await agent.ready;
    const text = `${"ä".repeat(200_000)} FAKE{"acceptMs":300}`;
    const run = agent.run(textPrompt(text));
    expect(await run.accepted).toBe(true);
    expect(await run.ended).toEqual({ type: "done" });
    expect((await receivedBy(bench, "prompt"))[0]?.record).toMatchObject({ message: text });
  });

  test("that is refused was not accepted, and its reason comes in one helpful line", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const refuse = "No API key found for acme.\n\nUse /login to log in. See:\n  /docs/providers.md";
    const run = started.agent.run(textPrompt(`FAKE${JSON.stringify({ refuse })}`));
    expect(await run.accepted).toBe(false);
    expect(await run.ended).toEqual({
      type: "failed",
      failure: {
        type: "refused",
        reason: "No API key found for acme. Run `pi` on evie's machine to set that up.",
      },
    });
    expect(started.events).toEqual([]);
    expect(await started.agent.run(textPrompt("hello")).ended).toEqual({ type: "done" });
  });

  test("that was a command of an extension is done with its answer", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('/hi FAKE{"handled":true,"notify":"three\\nservers"}'));
    expect(await run.accepted).toBe(true);
    expect(await run.ended).toEqual({ type: "done" });
    expect(noticesOf(started.events)).toEqual([{ type: "extension_message", text: "three servers" }]);
  });

  test("during a run fails by itself and leaves the run alone", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const first = started.agent.run(textPrompt('FAKE{"deltas":50,"overMs":200}'));
    const second = started.agent.run(textPrompt("second"));
    expect(await second.accepted).toBe(false);
    expect(await second.ended).toMatchObject({ type: "failed", failure: { type: "internal" } });
    expect(await first.ended).toEqual({ type: "done" });
    expect(await receivedBy(bench, "prompt")).toHaveLength(1);
  });
});

describe("a run", () => {
  test("fails with what the model's error means when the model failed for good, and the log has the rest", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(
      textPrompt('FAKE{"text":"half an","fail":"529 <html>overloaded sk-ant-api03-abcdefghijklm</html>"}'),
    );
    expect(await run.ended).toEqual({
      type: "failed",
      failure: {
        type: "model_failed",
        reason: "the provider is overloaded (529). Wait a minute, then send the message again.",
      },
    });
    expect(bench.logged).toContainEqual({
      level: "warn",
      fields: expect.objectContaining({ raw: "529 <html>overloaded <key></html>" }),
      message: "The agent has told of an error.",
    });
    expect(await run.accepted).toBe(true);
    await started.agent.run(textPrompt('FAKE{"text":"well again"}')).ended;
    expect(textsOf(fold(started.events), "assistant")).toEqual(["half an", "well again"]);
  });

  test("goes on over rubbish on stdout, which is logged once and never quoted", async () => {
    await using bench = await openFakeBench({ rubbish: ["starting up", "null", "[1]"] });
    const started = bench.start();
    await started.agent.ready;
    const rubbish = ["{broken", "\u0000\u0001", '{"type":"message_upd', "", "42"];
    const run = started.agent.run(textPrompt(`FAKE${JSON.stringify({ text: "all is well", rubbish })}`));
    expect(await run.ended).toEqual({ type: "done" });
    expect(textsOf(fold(started.events), "assistant")).toEqual(["all is well"]);
    const warnings = bench.logged.filter(({ level }) => level === "warn");
    expect(warnings).toMatchObject([{ message: "The agent wrote a line that is no record." }]);
    expect(JSON.stringify(bench.logged)).not.toContain("broken");
  });

  test("takes a line of 50 MB", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('FAKE{"tool":{"output":50000000}}'));
    expect(await run.ended).toEqual({ type: "done" });
    const end = started.events.find((event) => event.type === "tool_execution_end");
    expect(end).toHaveProperty("output.length", 50_000_000);
  });

  test("takes 2,000 deltas in one go", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    await started.agent.run(textPrompt('FAKE{"deltas":2000,"thinking":3}')).ended;
    expect(started.events.filter(isUpdate)).toHaveLength(2_003);
    expect(textsOf(fold(started.events), "assistant")[0]).toHaveLength(2_000 * 6);
  });

  test.each([
    ["before its answer", { exitBefore: { code: 7, stderr: "out of memory\n" } }, false, ""],
    ["after its answer", { exitAfter: { code: 7, stderr: "out of memory\n" } }, true, ""],
    ["in its text", { text: "a b c d", exit: { code: 7, stderr: "out of memory\n" } }, true, "a b"],
  ])("fails with the exit when the agent ends %s", async (_when, script, accepted, said) => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt(`FAKE${JSON.stringify(script)}`));
    expect(await run.accepted).toBe(accepted);
    const failure = { type: "exited", exit: { code: 7, lastWords: "out of memory" } };
    expect(await run.ended).toEqual({ type: "failed", failure });
    expect(textsOf(fold(started.events), "assistant").join("")).toBe(said);
    await started.agent.gone;
    const after = started.agent.run(textPrompt("hello"));
    expect(await after.accepted).toBe(false);
    expect(await after.ended).toEqual({ type: "failed", failure });
  });

  test("ends with the agent even when a tool of its holds the pipe open", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('FAKE{"tool":{"process":true,"holdStdout":true}}'));
    const update = await started.next((event) => event.type === "tool_execution_update");
    process.kill(await pidOf(bench), "SIGKILL");
    expect(await run.ended).toMatchObject({ type: "failed", failure: { exit: { signal: "SIGKILL" } } });
    await expect(started.agent.gone).resolves.toBeUndefined();
    if (update.type === "tool_execution_update") process.kill(-Number(update.output), "SIGKILL");
  });

  test("passes a question on, and hands the answer to the agent", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('FAKE{"dialog":"Which colour?"}'));
    expect(await started.question).toEqual({
      id: "ask-1",
      kind: "select",
      title: "Which colour?",
      options: ["Yes"],
    });
    started.agent.answer("ask-1", "Yes");
    started.agent.answer("ask-1", "a second time");
    started.agent.answer("unknown", "Yes");
    expect(await run.ended).toEqual({ type: "done" });
    const answers = await receivedBy(bench, "extension_ui_response");
    expect(answers.map(({ record }) => record)).toEqual([
      { type: "extension_ui_response", id: "ask-1", value: "Yes" },
    ]);
  });

  test("answers an open question as cancelled before it aborts, so that the agent is not stuck in it", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('FAKE{"dialog":"Which colour?","deltas":10,"hang":true}'));
    await started.question;
    started.agent.abort();
    expect(await run.ended).toEqual({ type: "aborted" });
    const received = (await notesOf(bench)).flatMap(({ record }) => (record === undefined ? [] : [record]));
    expect(received.slice(-2)).toMatchObject([
      { type: "extension_ui_response", cancelled: true },
      { type: "abort" },
    ]);
  });

  test("tells that the agent compacts its history", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    await started.agent.run(textPrompt('FAKE{"compact":true}')).ended;
    expect(noticesOf(started.events)).toEqual([{ type: "compacting" }]);
  });

  test.each(["cumulative", "agent_end"])("is refused to an agent of an old protocol (%s)", async (old) => {
    await using bench = await openFakeBench();
    const { agent } = bench.start();
    await agent.ready;
    const run = agent.run(textPrompt(`FAKE${JSON.stringify({ old })}`));
    expect(await run.ended).toEqual({ type: "failed", failure: { type: "too_old" } });
    await agent.gone;
    expect(isRunning(await pidOf(bench))).toBe(false);
  });

  test("goes on when whoever listens fails", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    void started.next(() => {
      throw new Error("a sink is broken");
    });
    expect(await started.agent.run(textPrompt("hello")).ended).toEqual({ type: "done" });
    expect(bench.logged.some(({ level }) => level === "error")).toBe(true);
  });
});

describe("an abort", () => {
  test("without a run does nothing", async () => {
    await using bench = await openFakeBench();
    const { agent } = bench.start();
    await agent.ready;
    agent.abort();
    expect(await agent.run(textPrompt("hello")).ended).toEqual({ type: "done" });
    expect(await receivedBy(bench, "abort")).toEqual([]);
  });

  test("before the pictures are read keeps the prompt from being sent", async () => {
    await using bench = await openFakeBench();
    const path = join(bench.folder, "picture");
    await writeFile(path, Buffer.alloc(5_000_000));
    const { agent } = bench.start();
    await agent.ready;
    const run = agent.run({ text: "look", images: [{ path, mimeType: "image/png" }], files: [] });
    agent.abort();
    expect(await run.accepted).toBe(false);
    expect(await run.ended).toEqual({ type: "aborted" });
    expect(await agent.run(textPrompt("instead")).ended).toEqual({ type: "done" });
    expect(await receivedBy(bench, "prompt")).toMatchObject([{ record: { message: "instead" } }]);
  });

  test("is repeated when the agent answered it before it had begun the run", async () => {
    await using bench = await openFakeBench();
    const { agent } = bench.start();
    await agent.ready;
    const run = agent.run(
      textPrompt('FAKE{"acceptMs":100,"deafWhileAccepting":true,"deltas":9,"hang":true}'),
    );
    agent.abort();
    expect(await run.ended).toEqual({ type: "aborted" });
    expect(await run.accepted).toBe(true);
    expect(await receivedBy(bench, "abort")).toHaveLength(2);
  });

  test("holds the run's end until the agent has answered it, so that it cannot meet the next run", async () => {
    await using bench = await openFakeBench();
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('FAKE{"deltas":9,"hang":true,"abortAnswerMs":100}'));
    await started.next(isUpdate);
    started.agent.abort();
    expect(await run.ended).toEqual({ type: "aborted" });
    const settled = (await notesOf(bench)).find(({ event }) => event === "settled");
    expect(performance.timeOrigin + performance.now() - (settled?.at ?? Infinity)).toBeGreaterThan(95);
    expect(await started.agent.run(textPrompt("next")).ended).toEqual({ type: "done" });
  });

  test("that the agent ignores dismisses it after five seconds", async () => {
    const clock = createFakeClock();
    await using bench = await openFakeBench({}, { clock });
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('FAKE{"deltas":9,"hang":true,"ignoreAbort":true}'));
    await started.next(isUpdate);
    started.agent.abort();
    await clock.advance(4_999);
    await expect.poll(() => receivedBy(bench, "abort")).toHaveLength(1);
    expect(isRunning(await pidOf(bench))).toBe(true);
    await clock.advance(1);
    expect(await run.ended).toEqual({ type: "aborted" });
    expect(await run.accepted).toBe(true);
    await started.agent.gone;
    expect(isRunning(await pidOf(bench))).toBe(false);
  });

  test("of a prompt that was never answered ends it as not accepted", async () => {
    const clock = createFakeClock();
    await using bench = await openFakeBench({}, { clock });
    const { agent } = bench.start();
    await agent.ready;
    const run = agent.run(textPrompt('FAKE{"acceptMs":600000,"ignoreAbort":true}'));
    agent.abort();
    await clock.advance(5_000);
    expect(await run.accepted).toBe(false);
    expect(await run.ended).toEqual({ type: "aborted" });
  });
});

describe("a dismissal", () => {
  test("kills what ignores SIGTERM and the end of its stdin after a second, and the groups of its tools", async () => {
    const clock = createFakeClock();
    await using bench = await openFakeBench({ ignoreTerm: true, ignoreEof: true }, { clock });
    const started = bench.start();
    await started.agent.ready;
    const run = started.agent.run(textPrompt('FAKE{"tool":{"process":true}}'));
    const tool = await toolPid(started);
    const pid = await pidOf(bench);
    const dismissed = started.agent.dismiss();
    await clock.advance(999);
    expect([isRunning(pid), isRunning(tool)]).toEqual([true, true]);
    await clock.advance(1);
    await dismissed;
    expect(await run.ended).toEqual({ type: "aborted" });
    expect(isRunning(pid)).toBe(false);
    await expect.poll(() => isRunning(tool)).toBe(false);
  });

  test("kills the tools that an agent leaves behind", async () => {
    await using bench = await openFakeBench({ leaveTools: true });
    const started = bench.start();
    await started.agent.ready;
    void started.agent.run(textPrompt('FAKE{"tool":{"process":true}}'));
    const tool = await toolPid(started);
    await started.agent.dismiss();
    await expect.poll(() => isRunning(tool)).toBe(false);
  });

  test("is idempotent, and a run after it ends as aborted", async () => {
    await using bench = await openFakeBench();
    const { agent } = bench.start();
    await agent.ready;
    await Promise.all([agent.dismiss(), agent.dismiss()]);
    await agent.dismiss();
    const run = agent.run(textPrompt("hello"));
    expect(await run.accepted).toBe(false);
    expect(await run.ended).toEqual({ type: "aborted" });
  });

  const toolPid = async (started: ReturnType<Bench["start"]>): Promise<number> => {
    const update = await started.next((event) => event.type === "tool_execution_update");
    return update.type === "tool_execution_update" ? Number(update.output) : 0;
  };
});
