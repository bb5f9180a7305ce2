import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { FakeExit, FakeRun, FakeTool } from "./script.ts";
import { note, respond, say } from "./wire.ts";

/** The run that is under way. */
export interface Run {
  readonly script: FakeRun;
  readonly id: unknown;
  readonly text: string;
  readonly images: number;
  readonly abort: AbortController;
  /** Settles when the dialog was answered. */
  readonly dialog: PromiseWithResolvers<void>;
  /** Whether the prompt was answered. */
  accepted: boolean;
}

interface FakeMessage {
  readonly role: "user" | "assistant" | "toolResult";
  readonly content: readonly object[];
  readonly [field: string]: unknown;
}

const FAILURE = '500: {"message":"the model is not well"}';

/** Processes of tools that still run. */
const tools = new Set<ChildProcess>();

export function killTools(): void {
  for (const { pid } of tools) if (pid !== undefined) process.kill(-pid, "SIGKILL");
  tools.clear();
}

/** Ends this program as told. */
export function end({ code = 0, signal, stderr }: FakeExit): never {
  if (stderr !== undefined) process.stderr.write(stderr);
  if (signal !== undefined) process.kill(process.pid, signal);
  process.exit(code);
}

/** Does what the script says, from the prompt's answer to `agent_settled`. `keep` stores a message. */
export async function perform(run: Run, keep: (message: object) => void): Promise<void> {
  const { script, id, text, images, abort } = run;
  if (script.acceptMs !== undefined) await sleep(script.acceptMs);
  if (script.exitBefore !== undefined) end(script.exitBefore);
  if (script.notify !== undefined) {
    say({ type: "extension_ui_request", id: "note-1", method: "notify", message: script.notify });
  }
  if (script.refuse !== undefined) return respond(id, "prompt", { error: script.refuse });
  if (script.handled === true) return respond(id, "prompt", { data: { disposition: "handled" } });
  respond(id, "prompt", script.old === undefined ? { data: { disposition: "started" } } : {});
  run.accepted = true;
  note("accepted");
  if (script.exitAfter !== undefined) end(script.exitAfter);

  const user: FakeMessage = { role: "user", content: [{ type: "text", text }], timestamp: Date.now() };
  keep(user);
  say({ type: "agent_start" });
  say({ type: "turn_start" });
  say({ type: "message_start", message: user });
  say({ type: "message_end", message: user });
  if (script.dialog !== undefined) {
    say({
      type: "extension_ui_request",
      id: "ask-1",
      method: "select",
      title: script.dialog,
      options: ["Yes"],
    });
    await run.dialog.promise;
  }
  for (let attempt = 1; attempt <= (script.retries ?? 0) && !abort.signal.aborted; attempt += 1) {
    await failOnce(script, attempt, abort.signal);
  }
  if (script.tool !== undefined && !abort.signal.aborted) await runTool(script.tool, abort.signal);
  const said = script.text ?? (script.deltas === undefined ? echo(text, images) : undefined);
  await answer(script, said === undefined ? counted(script.deltas ?? 0) : words(said), abort.signal, keep);
  if (script.compact === true) {
    say({ type: "compaction_start", reason: "threshold" });
    say({
      type: "compaction_end",
      reason: "threshold",
      result: { summary: "" },
      aborted: false,
      willRetry: false,
    });
  }
  if (script.old !== "agent_end") say({ type: "agent_settled", aborted: abort.signal.aborted });
  note("settled");
}

function echo(text: string, images: number): string {
  return `Echo: ${text}${images === 0 ? "" : ` [images=${images}]`}`;
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

function counted(deltas: number): readonly string[] {
  return Array.from({ length: deltas }, (_, i) => `w${`${i + 1}`.padStart(4, "0")} `);
}

/** One assistant message, in deltas, and the end of the step. */
async function answer(
  script: FakeRun,
  deltas: readonly string[],
  signal: AbortSignal,
  keep: (message: object) => void,
): Promise<void> {
  const thoughts = Array.from({ length: script.thinking ?? 0 }, (_, i) => `t${i + 1} `);
  const index = thoughts.length > 0 ? 1 : 0;
  const pause = (script.overMs ?? 0) / Math.max(1, deltas.length);
  const began = performance.now();
  let said = "";
  const content = (): object[] => [
    ...(index === 1 ? [{ type: "thinking", thinking: thoughts.join("") }] : []),
    ...(said === "" ? [] : [{ type: "text", text: said }]),
  ];
  say({ type: "message_start", message: { role: "assistant", content: [], stopReason: "pending" } });
  for (const delta of thoughts) update({ type: "thinking_delta", contentIndex: 0, delta });
  update({ type: "text_start", contentIndex: index });
  for (const [i, delta] of deltas.entries()) {
    if (signal.aborted) break;
    if (i === Math.floor(deltas.length / 2)) {
      for (const line of script.rubbish ?? []) process.stdout.write(`${line}\n`);
      if (script.exit !== undefined) end(script.exit);
      if (script.hang === true) await until(signal);
    }
    said += delta;
    const whole = script.old === "cumulative" ? { message: { role: "assistant", content: content() } } : {};
    update({ type: "text_delta", contentIndex: index, delta }, whole);
    if (i === 0) note("first_delta");
    const early = began + pause * (i + 1) - performance.now();
    if (early > 1) await sleep(early, undefined, { signal }).catch(() => {});
  }
  note("last_delta");
  if (index === 1) update({ type: "thinking_end", contentIndex: 0, content: thoughts.join("") });
  update({ type: "text_end", contentIndex: index, content: said });
  const ending = signal.aborted
    ? { stopReason: "aborted", errorMessage: "Request was aborted" }
    : script.fail !== undefined
      ? { stopReason: "error", errorMessage: script.fail }
      : { stopReason: "stop" };
  const message = { role: "assistant", content: content(), timestamp: Date.now(), ...ending };
  keep(message);
  say({ type: "message_end", message });
  say({ type: "turn_end", message, toolResults: [] });
  say({ type: "agent_end", messages: [message], ...(script.old === undefined ? { willRetry: false } : {}) });
}

function update(assistantMessageEvent: object, more: object = {}): void {
  say({
    type: "message_update",
    usage: { input: 0, output: 0, totalTokens: 0 },
    assistantMessageEvent,
    ...more,
  });
}

/** An attempt that fails after a few words. */
async function failOnce(
  { retries, retryMs = 0 }: FakeRun,
  attempt: number,
  signal: AbortSignal,
): Promise<void> {
  const delta = `failed attempt ${attempt}`;
  const content = [{ type: "text", text: delta }];
  const message = { role: "assistant", content, stopReason: "error", errorMessage: FAILURE };
  say({ type: "message_start", message: { role: "assistant", content: [], stopReason: "pending" } });
  update({ type: "text_delta", contentIndex: 0, delta });
  say({ type: "message_end", message });
  say({ type: "turn_end", message, toolResults: [] });
  say({ type: "agent_end", messages: [message], willRetry: true });
  say({ type: "auto_retry_start", attempt, maxAttempts: retries, delayMs: retryMs, errorMessage: FAILURE });
  await sleep(retryMs, undefined, { signal }).catch(() => {});
  say({ type: "agent_start" });
  say({ type: "turn_start" });
}

async function runTool(tool: FakeTool, signal: AbortSignal): Promise<void> {
  const { name: toolName = "bash", args = { command: "sleep 600" } } = tool;
  const toolCallId = `call-${performance.now()}`;
  const call = { type: "toolCall", id: toolCallId, name: toolName, arguments: args };
  const assistant = { role: "assistant", content: [call], stopReason: "toolUse" };
  say({ type: "message_start", message: { role: "assistant", content: [], stopReason: "pending" } });
  update({ type: "toolcall_start", contentIndex: 0, id: toolCallId, toolName });
  update({ type: "toolcall_delta", contentIndex: 0, delta: JSON.stringify(args) });
  update({ type: "toolcall_end", contentIndex: 0, toolCall: call });
  say({ type: "message_end", message: assistant });
  say({ type: "tool_execution_start", toolCallId, toolName, args });
  if (tool.process === true) {
    const child = spawn("sh", ["-c", "sleep 600 & sleep 600"], {
      detached: true,
      stdio: ["ignore", tool.holdStdout === true ? "inherit" : "pipe", "ignore"],
    });
    tools.add(child);
    const partialResult = { content: [{ type: "text", text: `${child.pid}` }] };
    say({ type: "tool_execution_update", toolCallId, toolName, args, partialResult });
    await until(signal);
    killTools();
  }
  const content = [{ type: "text", text: "x".repeat(tool.output ?? 3) }];
  const isError = signal.aborted;
  const message = { role: "toolResult", toolCallId, toolName, content, isError };
  say({ type: "tool_execution_end", toolCallId, toolName, result: { content }, isError });
  say({ type: "message_start", message });
  say({ type: "message_end", message });
  say({ type: "turn_end", message: assistant, toolResults: [message] });
  say({ type: "turn_start" });
}

/** Resolves when the run is aborted. */
function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // Without a timer an agent whose stdin has ended would have nothing to live for.
    const alive = setInterval(() => {}, 60_000);
    signal.addEventListener("abort", () => {
      clearInterval(alive);
      resolve();
    });
  });
}
