import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { descendantsOf, readProcess } from "../../../src/agent/process-tree.ts";
import { fold, textsOf } from "../recorder.ts";
import { isRunning, openPiBench, textPrompt } from "../subjects.ts";

/** The smallest PNG that is one. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe("pi itself", () => {
  let bench: Awaited<ReturnType<typeof openPiBench>>;
  beforeAll(async () => {
    bench = await openPiBench();
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test("runs a tool and says what for", async () => {
    const started = bench.start("tool.jsonl");
    await started.agent.ready;
    const steps = [
      { tools: [{ name: "bash", args: { command: "echo hi\necho ho" } }] },
      { text: "All done." },
    ];
    const run = started.agent.run(textPrompt(`MOCK${JSON.stringify(steps)}`));
    expect(await run.ended).toEqual({ type: "done" });
    expect(fold(started.events).tools).toMatchObject([
      { name: "bash", summary: "echo hi …", output: "hi\nho\n", isError: false },
    ]);
    const roles = fold(started.events).messages.map((message) => message.role);
    expect(roles).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test.each([
    ["a tool at work", "echo $$; (sleep 600 & echo $!; wait) & sleep 600", [false, false]],
    [
      "but what a tool has sent away",
      "setsid sleep 600 >/dev/null 2>&1 & echo $!; echo $$; sleep 600",
      [true, false],
    ],
  ])("that is killed from outside leaves nothing behind, %s", async (_what, command, alive) => {
    const started = bench.start("killed.jsonl");
    await started.agent.ready;
    const order = `MOCK${JSON.stringify([{ tools: [{ name: "bash", args: { command } }] }])}`;
    const run = started.agent.run(textPrompt(order));
    const pids = (): readonly number[] =>
      (fold(started.events).tools[0]?.output ?? "")
        .trim()
        .split("\n")
        .map(Number)
        .filter((pid) => pid > 0);
    await expect.poll(() => pids().length, { timeout: 10_000 }).toBe(2);
    const pi = descendantsOf(process.pid)?.find(
      ({ pid }) => pid === readProcess(pids()[alive.indexOf(false)] ?? 0)?.parent,
    );
    process.kill(pi?.pid ?? 0, "SIGKILL");
    expect(await run.ended).toMatchObject({ failure: { type: "exited", exit: { signal: "SIGKILL" } } });
    await expect.poll(() => pids().map(isRunning)).toEqual(alive);
    for (const pid of pids().filter(isRunning)) process.kill(pid, "SIGKILL");
    const again = bench.start("killed.jsonl");
    await again.agent.ready;
    expect(await again.agent.run(textPrompt('MOCK{"text":"Back."}')).ended).toEqual({ type: "done" });
  });

  test("shows a picture to the model, also without a word, and tells of one that it cannot use", async () => {
    const [good, bad] = [join(bench.folder, "good"), join(bench.folder, "bad")];
    await writeFile(good, PIXEL);
    await writeFile(bad, "no picture");
    const started = bench.start("pictures.jsonl");
    await started.agent.ready;
    await started.agent.run({ text: "", images: [{ path: good, mimeType: "image/png" }], files: [] }).ended;
    expect(bench.model.requests.at(-1)?.messages.at(-1)?.images).toHaveLength(1);
    expect(started.events.filter((event) => event.type === "notice")).toEqual([]);
    await started.agent.run({ text: "see?", images: [{ path: bad, mimeType: "image/png" }], files: [] })
      .ended;
    expect(started.events.filter((event) => event.type === "notice")).toEqual([
      { type: "notice", notice: { type: "image_omitted" } },
    ]);
  });

  test.each([
    ["at its longest", { text: "half", finish: "length", usage: { output: 8_192 } }, { type: "length" }],
    ["shorter than that", { text: "half", finish: "length", usage: { output: 2 } }, { type: "length" }],
    ["in its thoughts", { think: 3, finish: "length", usage: { output: 8_192 } }, { type: "length" }],
    ["where a tool was to be named", { text: "Let me look.", finish: "tool_calls" }, { type: "no_tool" }],
  ])("says that an answer was cut off %s", async (_, step, cut) => {
    const started = bench.start("cut.jsonl");
    await started.agent.ready;
    expect(await started.agent.run(textPrompt(`MOCK${JSON.stringify(step)}`)).ended).toEqual({
      type: "done",
      cut,
    });
  });

  test("goes on behind a step that was cut off, whose tools did not run", async () => {
    const started = bench.start("step-cut.jsonl");
    await started.agent.ready;
    const tools = [{ name: "bash", args: { command: "echo hi" } }];
    const steps = [{ text: "half", tools, finish: "length", usage: { output: 8_192 } }, { text: "whole" }];
    expect(await started.agent.run(textPrompt(`MOCK${JSON.stringify(steps)}`)).ended).toEqual({
      type: "done",
    });
    const messages = fold(started.events).messages.filter(({ role }) => role === "assistant");
    expect(messages.map(({ stopReason }) => stopReason)).toEqual(["length", "stop"]);
  });

  test("shows an answer once that was cut off and asked for again with a shorter history", async () => {
    const started = bench.start("shortened.jsonl");
    await started.agent.ready;
    for (const word of ["one", "two"])
      await started.agent.run(textPrompt(`${word} ${"y ".repeat(60_000)} MOCK{"text":"ok"}`)).ended;
    const before = started.events.length;
    const half = { text: "half", finish: "length", usage: { output: 2 } };
    bench.model.enqueue([half, { text: "a summary" }, { text: "whole" }]);
    expect(await started.agent.run(textPrompt("go")).ended).toEqual({ type: "done" });
    expect(textsOf(fold(started.events.slice(before)), "assistant")).toEqual(["whole"]);
  });

  test.each([
    [
      401,
      '{"error":{"message":"invalid x-api-key","type":"authentication_error"}}',
      /did not accept the key \(401\)\. Check/,
    ],
    [404, "<html><head><title>404 Not Found</title></head></html>", /nothing is at the model's address/],
    [400, '{"error":{"message":"odd thing"}}', /refused the request \(400\): odd thing\. Send/],
    [502, "<html><head><title>502 Bad Gateway</title></head></html>", /server failed \(502\)\. Wait/],
    [
      429,
      '{"error":{"message":"no","type":"insufficient_quota","code":"insufficient_quota"}}',
      /no credit left/,
    ],
  ])("says in a plain sentence that a provider answered with status %i", async (status, body, reason) => {
    const started = bench.start("status.jsonl");
    await started.agent.ready;
    const run = started.agent.run(textPrompt(`MOCK${JSON.stringify({ status, body })}`));
    expect(await run.ended).toEqual({
      type: "failed",
      failure: { type: "model_failed", reason: expect.stringMatching(reason) },
    });
    const told = JSON.stringify(started.events.filter((event) => event.type === "notice"));
    expect(told).not.toMatch(/<html|\{\\"/);
  });

  test("ends a run on a session file that cannot be written, and the next one too", async () => {
    await writeFile(join(bench.folder, "file"), "");
    const { agent } = bench.start("file/session.jsonl");
    await agent.ready;
    for (const text of ["first", "second"]) {
      expect(await agent.run(textPrompt(text)).ended).toMatchObject({
        type: "failed",
        failure: { type: "model_failed", reason: expect.stringContaining("ENOTDIR") },
      });
    }
  });

  test("is done at once with a command of its own", async () => {
    const started = bench.start("command.jsonl");
    await started.agent.ready;
    const run = started.agent.run(textPrompt("/mcp"));
    expect(await run.accepted).toBe(true);
    expect(await run.ended).toEqual({ type: "done" });
    expect(started.events.every((event) => event.type === "notice")).toBe(true);
  });

  test("begins anew on a file that is no session, which is set aside, and the person is told", async () => {
    await writeFile(join(bench.folder, "garbage.jsonl"), "{}\n".repeat(3));
    const started = bench.start("garbage.jsonl");
    expect(await started.agent.ready).toBeUndefined();
    const run = started.agent.run(textPrompt("hello"));
    expect(await run.accepted).toBe(true);
    await run.ended;
    expect(started.events[0]).toEqual({ type: "notice", notice: { type: "history_lost" } });
    expect(await readFile(join(bench.folder, "garbage.jsonl.damaged"), "utf8")).toBe("{}\n".repeat(3));
  });
});
