/*
 * An agent without a model: a real program on a real pipe that speaks pi's rpc mode and does what it is told.
 *
 *   node test/fakes/fake-agent.ts [--fake '<FakeProcess>'] --mode rpc --session <file>
 *
 * What one prompt makes it do stands in the prompt itself, as JSON behind the word FAKE (the last one counts):
 *
 *   hello                                      answers "Echo: hello", one delta a word
 *   go FAKE{"deltas":2000,"overMs":1000}       2,000 deltas, spread over a second
 *   go FAKE{"deltas":10,"hang":true}           five deltas, then silence; an abort ends it as pi would
 *   go FAKE{"text":"a b","exit":{"signal":"SIGKILL"}}
 *   go FAKE{"retries":2,"text":"at last"}
 *
 * How it starts and ends as a whole stands in --fake, or else in the environment variable FAKE_AGENT:
 *
 *   {"readyMs":500}   {"neverReady":true}   {"exit":{"code":1,"stderr":"no"}}   {"ignoreTerm":true,"ignoreEof":true}
 *
 * All fields of both are in fake-agent/script.ts. With FAKE_AGENT_LOG=<file> it adds a JSON line there for each thing
 * that happens: { at, pid, event }, where `at` is milliseconds since 1970 with a fraction and `event` one of
 *
 *   start        { args }            accepted      the prompt was answered
 *   received     { record, bytes }   first_delta   last_delta
 *   exit         { code }            settled
 *
 * In `received` a picture's data is replaced by its length. The session file gets the messages, as pi writes them.
 * A second prompt during a run is refused, an abort without a run is answered at once; SIGTERM and the end of stdin
 * end it and its tools.
 */
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { end, killTools, perform } from "./fake-agent/run.ts";
import type { Run } from "./fake-agent/run.ts";
import { scriptOf } from "./fake-agent/script.ts";
import type { FakeProcess } from "./fake-agent/script.ts";
import { note, readLines, respond } from "./fake-agent/wire.ts";

interface Asked {
  readonly id?: unknown;
  readonly type: string;
  readonly message?: string;
  readonly images?: readonly { readonly data: string; readonly mimeType: string }[];
}

const { values } = parseArgs({
  options: { mode: { type: "string" }, session: { type: "string" }, fake: { type: "string" } },
  strict: false,
});
const behaviour = JSON.parse(`${values["fake"] ?? process.env["FAKE_AGENT"] ?? "{}"}`) as FakeProcess;
const sessionFile = typeof values["session"] === "string" ? values["session"] : undefined;

const model = behaviour.model === undefined ? undefined : { id: behaviour.model, provider: "fake" };

let run: Run | undefined;
let finished = Promise.resolve();

function keep(message: object): void {
  if (sessionFile === undefined) return;
  if (!existsSync(sessionFile)) {
    mkdirSync(dirname(sessionFile), { recursive: true });
    const header = { type: "session", version: 3, id: crypto.randomUUID(), cwd: process.cwd() };
    appendFileSync(sessionFile, `${JSON.stringify(header)}\n`);
  }
  const entry = { type: "message", id: crypto.randomUUID(), timestamp: new Date().toISOString(), message };
  appendFileSync(sessionFile, `${JSON.stringify(entry)}\n`);
}

function startRun({ id, message = "", images = [] }: Asked): void {
  if (run !== undefined) {
    return respond(id, "prompt", { error: "Agent is already processing. Specify streamingBehavior." });
  }
  const dialog = Promise.withResolvers<void>();
  const script = scriptOf(message);
  run = {
    script,
    id,
    text: message,
    images: images.length,
    abort: new AbortController(),
    dialog,
    accepted: false,
  };
  finished = perform(run, keep).finally(() => {
    run = undefined;
  });
}

async function abortRun({ id }: Asked): Promise<void> {
  const script = run?.script;
  if (script?.ignoreAbort === true) return;
  if (script?.deafWhileAccepting === true && run?.accepted === false) return respond(id, "abort", {});
  run?.abort.abort();
  await finished;
  if (script?.abortAnswerMs !== undefined) await sleep(script.abortAnswerMs);
  respond(id, "abort", {});
}

function take(line: string): void {
  const asked = JSON.parse(line) as Asked;
  const images = asked.images?.map(({ data, ...rest }) => ({ ...rest, data: data.length }));
  note("received", { record: images === undefined ? asked : { ...asked, images }, bytes: line.length });
  switch (asked.type) {
    case "get_state":
      if (behaviour.neverReady !== true) respond(asked.id, "get_state", { data: { sessionFile, model } });
      break;
    case "get_available_models":
      respond(asked.id, "get_available_models", { data: { models: model === undefined ? [] : [model] } });
      break;
    case "prompt":
      startRun(asked);
      break;
    case "abort":
      void abortRun(asked);
      break;
    case "extension_ui_response":
      run?.dialog.resolve();
      break;
    default:
      respond(asked.id, asked.type, { error: `Unknown command: ${asked.type}` });
  }
}

process.on("exit", (code) => {
  if (behaviour.leaveTools !== true) killTools();
  note("exit", { code });
});
process.on("SIGTERM", () => {
  if (behaviour.ignoreTerm !== true) process.exit(143);
});
note("start", { args: process.argv.slice(2) });
for (const line of behaviour.rubbish ?? []) process.stdout.write(`${line}\n`);
if (behaviour.stderr !== undefined) process.stderr.write(behaviour.stderr);
if (behaviour.exit !== undefined) end(behaviour.exit);
if (behaviour.readyMs !== undefined) await sleep(behaviour.readyMs);
process.stdin.on("end", () => {
  if (behaviour.ignoreEof !== true) process.exit(0);
  setInterval(() => {}, 60_000);
});
readLines(take);
