import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { serve, type ServeOptions } from "../src/serve.ts";
import { ConflictError, UnauthorizedError } from "../src/telegram/poller.ts";
import { createFakeClock } from "./fakes/fake-clock.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";
import { type EvieOptions, FAKE_AGENT, type RunningEvie, startEvie } from "./running-evie.ts";

/*
 * How evie ends, seen from outside: as a process among processes, with an agent that does what its prompt says.
 */

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

async function start(options: EvieOptions = {}): Promise<RunningEvie> {
  const env = { EVIE_AGENT_COMMAND: `"${process.execPath}" "${FAKE_AGENT}"`, ...options.env };
  const evie = await startEvie({ ...options, env });
  onTestFinished(() => evie[Symbol.asyncDispose]());
  return evie;
}

/** The processes whose working directory or command line is under this test's own folder, evie itself apart. */
async function processesOf({ folder, process: evie }: RunningEvie): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return command !== "" && `${command}\0${environment}`.includes(folder) ? pid : 0;
    }),
  );
  return found.filter((pid) => pid !== 0 && pid !== evie.pid);
}

/** Looks again and again, without a pause, until there are so many of them. */
async function untilProcesses(evie: RunningEvie, wanted: (count: number) => boolean): Promise<number> {
  const until = performance.now() + 10_000;
  for (;;) {
    const { length } = await processesOf(evie);
    if (wanted(length) || performance.now() > until) return length;
  }
}

const ends = (mark: string) => (message: { text: string }) => message.text.endsWith(mark);
const holds = (mark: string) => (message: { text: string }) => message.text.includes(mark);
const streaming = 'go on FAKE{"deltas":4000,"overMs":120000}';

async function timed<Value>(work: Promise<Value>): Promise<{ value: Value; ms: number }> {
  const began = performance.now();
  return { value: await work, ms: performance.now() - began };
}

describe("a signal", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s ends an evie that rests, with 0 and with everything confirmed",
    async (signal) => {
      const evie = await start();
      const anna = evie.visitor();
      await anna.say("hello");
      await anna.hears(ends("Echo: hello"), "the answer");
      const { value: code, ms } = await timed(evie.stop(signal));
      expect(code).toBe(0);
      expect(ms).toBeLessThan(5_000);
      expect(evie.api.pendingUpdates).toEqual([]);
      expect(await processesOf(evie)).toEqual([]);
    },
  );

  test("finalises what streams, within five seconds, and leaves no agent and no tool behind", async () => {
    const evie = await start();
    const [anna, ben] = [evie.visitor(), evie.visitor()];
    await anna.say(streaming);
    await anna.hears(holds("w0001"), "the first words");
    await ben.say('tool FAKE{"tool":{"process":true}}');
    await ben.hears(holds("🔧"), "the tool's line");
    // Two agents, and a tool that has a child in a process group of its own.
    expect(await untilProcesses(evie, (count) => count >= 4)).toBeGreaterThanOrEqual(4);

    const { value: code, ms } = await timed(evie.stop());
    expect(code).toBe(0);
    expect(ms).toBeLessThan(5_000);
    expect(anna.said()).toEqual([expect.stringMatching(/^w0001 w0002 [\s\S]*\n\n\(stopped\)$/)]);
    expect(ben.said()).toEqual([]);
    expect(await processesOf(evie)).toEqual([]);
    expect(evie.api.pendingUpdates).toEqual([]);
    const late = evie.api.calls.length;
    await untilProcesses(evie, () => true);
    expect(evie.api.calls).toHaveLength(late);
  });

  test("lets a turn that is nearly done end by itself", async () => {
    const evie = await start();
    const anna = evie.visitor();
    await anna.say('soon FAKE{"deltas":10,"overMs":1500}');
    await anna.hears(holds("w0001"), "the first words");
    expect(await evie.stop()).toBe(0);
    expect(anna.said()).toEqual([expect.stringMatching(/w0010$/)]);
  });

  test("gives up a burst that waits, and says so", async () => {
    const evie = await start();
    const anna = evie.visitor();
    await anna.say("too late");
    await evie.api.until(() => evie.api.pendingUpdates.length === 0, { what: "the message's arrival" });
    expect(await evie.stop()).toBe(0);
    expect(anna.said()).toEqual([expect.stringMatching(/^evie is being stopped/)]);
  });

  test("ends evie within five seconds though Telegram has stopped answering", async () => {
    const evie = await start();
    const anna = evie.visitor();
    await anna.say(streaming);
    await anna.hears(holds("w0001"), "the first words");
    evie.api.faults.calls({ kind: "hang", when: "before" });
    const { value: code, ms } = await timed(evie.stop());
    expect(code).toBe(0);
    expect(ms).toBeLessThan(5_500);
    expect(await processesOf(evie)).toEqual([]);
  });

  test("ends evie while it waits for Telegram to come up", async () => {
    const evie = await start({ awaitReady: false, env: { TELEGRAM_API_ROOT: "http://127.0.0.1:9" } });
    while (!evie.output().includes("did not work. Trying again"))
      await once(evie.process.stderr ?? evie.process, "data");
    const { value: code, ms } = await timed(evie.stop());
    expect(code).toBe(0);
    expect(ms).toBeLessThan(1_500);
  });

  test("that comes a second time ends evie at once, and its agents with it", async () => {
    const evie = await start();
    const anna = evie.visitor();
    await anna.say('deaf FAKE{"deltas":4000,"overMs":120000,"ignoreAbort":true}');
    await anna.hears(holds("w0001"), "the first words");
    evie.process.kill("SIGTERM");
    while (!evie.output().includes("a second signal ends evie at once"))
      await once(evie.process.stderr ?? evie.process, "data");
    const { value: code, ms } = await timed(evie.stop("SIGTERM"));
    expect(code).toBe(130);
    expect(ms).toBeLessThan(1_000);
    expect(await untilProcesses(evie, (count) => count === 0)).toBe(0);
  });

  test("SIGHUP that comes several times, as a closed terminal sends it, still ends evie in order", async () => {
    const evie = await start();
    const anna = evie.visitor();
    await anna.say('soon FAKE{"deltas":10,"overMs":1500}');
    await anna.hears(holds("w0001"), "the first words");
    evie.process.kill("SIGHUP");
    while (!evie.output().includes("a second signal ends evie at once"))
      await once(evie.process.stderr ?? evie.process, "data");
    expect(await evie.stop("SIGHUP")).toBe(0);
    expect(anna.said()).toEqual([expect.stringMatching(/w0010$/)]);
  });

  test("of a terminal that is closed ends evie in order, though nothing can be written there any more", async () => {
    const evie = await start({ inTerminal: true });
    const anna = evie.visitor();
    await anna.say('soon FAKE{"deltas":10,"overMs":1500}');
    await anna.hears(holds("w0001"), "the first words");
    // The terminal's own program.
    evie.process.kill("SIGKILL");
    await anna.hears(ends("w0010"), "the end of the answer");
    expect(await untilProcesses(evie, (count) => count === 0)).toBe(0);
    await expect(readFile(join(evie.home, "evie.pid"))).rejects.toThrow("ENOENT");
  });

  test("SIGKILL leaves no agent behind", async () => {
    const evie = await start();
    const anna = evie.visitor();
    await anna.say(streaming);
    await anna.hears(holds("w0001"), "the first words");
    expect(await untilProcesses(evie, (count) => count > 0)).toBeGreaterThan(0);
    await evie.stop("SIGKILL");
    expect(await untilProcesses(evie, (count) => count === 0)).toBe(0);
  });
});

describe("an output that nobody reads any more", () => {
  test.each(["stdout", "stderr"] as const)("does not end evie: %s", async (name) => {
    const evie = await start();
    const anna = evie.visitor();
    evie.process[name]?.destroy();
    for (const word of ["one", "two", "three"]) {
      await anna.say(word);
      await anna.hears(ends(`Echo: ${word}`), "the answer");
    }
    expect(await evie.stop()).toBe(0);
  });
});

describe("what no waiting cures", () => {
  test("a token that Telegram does not accept ends evie with 78 and says what to do", async () => {
    const evie = await start({ awaitReady: false, env: { TELEGRAM_BOT_TOKEN: `1234567:${"A".repeat(35)}` } });
    const [code] = (await once(evie.process, "exit")) as [number];
    expect(code).toBe(78);
    expect(evie.output()).toContain(
      "Telegram does not accept TELEGRAM_BOT_TOKEN. Copy it again from @BotFather",
    );
    expect(evie.output()).not.toContain("AAAAA");
  });

  test("a token that is taken back while evie runs ends it with 78, and its agents", async () => {
    const evie = await start();
    const anna = evie.visitor();
    await anna.say(streaming);
    await anna.hears(holds("w0001"), "the first words");
    const exited = once(evie.process, "exit") as Promise<[number]>;
    evie.api.faults.calls({ kind: "error", code: 401, description: "Unauthorized", methods: "getUpdates" });
    await anna.say("wake the poll");
    expect((await exited)[0]).toBe(78);
    expect(await untilProcesses(evie, (count) => count === 0)).toBe(0);
  });

  test("a home that another evie has is left to it", async () => {
    const first = await start();
    const second = await start({
      awaitReady: false,
      env: {
        EVIE_HOME: first.home,
        TELEGRAM_API_ROOT: first.api.root,
        TELEGRAM_BOT_TOKEN: first.api.token,
      },
    });
    const [code] = (await once(second.process, "exit")) as [number];
    expect(code).toBe(1);
    expect(second.output()).toContain(`(process ${first.process.pid}) runs on ${first.home} already.`);
    const anna = first.visitor();
    await anna.say("still there?");
    await anna.hears(ends("Echo: still there?"), "the first evie's answer");
  });

  test("a home whose evie was killed can be taken at once, and nothing comes again", async () => {
    const first = await start();
    const anna = first.visitor();
    await anna.say("once");
    await anna.hears(ends("Echo: once"), "the answer");
    await first.api.until(() => first.api.pendingUpdates.length === 0, { what: "the confirmation" });
    await first.stop("SIGKILL");
    const second = await start({
      awaitReady: false,
      env: {
        EVIE_HOME: first.home,
        TELEGRAM_API_ROOT: first.api.root,
        TELEGRAM_BOT_TOKEN: first.api.token,
      },
    });
    await anna.say("twice");
    await anna.hears(ends("Echo: twice"), "the answer of the second");
    expect(anna.said()).toEqual(["Echo: once", "Echo: twice"]);
    expect(await second.stop()).toBe(0);
  });
});

describe("the stop itself", () => {
  /** A bot and its sessions that only write down what is asked of them. */
  function setUp(change: Partial<ServeOptions["bot"]>) {
    const clock = createFakeClock();
    const log = createMemoryLog();
    const steps: string[] = [];
    const step = (name: string) => async (): Promise<void> => {
      steps.push(name);
      await clock.sleep(1);
      steps.push(`${name} over`);
    };
    const bot: ServeOptions["bot"] = {
      connect: () => Promise.resolve({ id: 1, username: "evie_bot" }),
      username: "evie_bot",
      isAllowed: () => true,
      health: () => ({}),
      filesInUse: () => new Set(),
      run: () => Promise.reject(new ConflictError()),
      stop: step("stop"),
      idle: step("idle"),
      close: () => void steps.push("close"),
      ...change,
    };
    const sessions: ServeOptions["sessions"] = { idle: () => Promise.resolve(), leaveAll: step("dismiss") };
    return { clock, log, steps, code: serve({ bot, sessions, clock, log }) };
  }

  test("waits for the agents' end and then for the last words, before anything is closed", async () => {
    const { clock, log, steps, code } = setUp({});
    await clock.advance(100);
    expect(await code).toBe(1);
    expect(steps).toEqual(["stop", "dismiss", "stop over", "dismiss over", "idle", "idle over", "close"]);
    expect(log.messages("error")).toEqual([new ConflictError().message]);
    expect(clock.sleepers).toBe(0);
  });

  test("is over after its time, whatever still hangs, and says so", async () => {
    const { clock, log, code } = setUp({ stop: () => new Promise(() => undefined) });
    let over = false;
    void code.then(() => (over = true));
    await clock.advance(4_499);
    expect(over).toBe(false);
    await clock.advance(1);
    expect(await code).toBe(1);
    expect(log.messages("warn")).toEqual(["not everything could be finished in time"]);
  });

  test("that fails itself changes nothing about the exit code", async () => {
    const { clock, log, steps, code } = setUp({
      run: () => Promise.reject(new UnauthorizedError()),
      stop: () => Promise.reject(new Error("a fault")),
    });
    await clock.advance(100);
    expect(await code).toBe(78);
    expect(log.messages("error")).toContain("the stop was disturbed by a fault of evie's own");
    expect(steps).toEqual(["dismiss", "dismiss over", "idle", "idle over", "close"]);
  });
});

describe("a configuration that is wrong", () => {
  /** Runs evie in an empty folder with this environment alone; what it wrote, and its exit code. */
  async function run(env: Readonly<Record<string, string>>) {
    const folder = await mkdtemp(join(tmpdir(), "evie-config-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const child = spawn(process.execPath, [MAIN], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        EVIE_HOME: join(folder, "home"),
        EVIE_HTTP_PORT: "0",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    const [code] = (await once(child, "close")) as [number];
    return { code, output };
  }

  test("ends with 78 and every problem at once", async () => {
    const { code, output } = await run({
      TELEGRAM_BOT_TOKEN: "nonsense",
      EVIE_ALLOWED_USERS: "anna",
      EVIE_WORKSPACE: "/no/such/folder",
      LOG_LEVEL: "loud",
    });
    expect(code).toBe(78);
    const [first, ...problems] = output.trim().split("\n");
    expect(first).toBe("evie cannot start:");
    expect(problems.map((line) => /^ {2}(\w+): /.exec(line)?.[1])).toEqual([
      "TELEGRAM_BOT_TOKEN",
      "EVIE_ALLOWED_USERS",
      "EVIE_WORKSPACE",
      "LOG_LEVEL",
    ]);
  });

  test("without a token says in one line what to do", async () => {
    const { code, output } = await run({});
    expect(code).toBe(78);
    expect(output).toMatch(/^evie: TELEGRAM_BOT_TOKEN is missing\. .*\n$/);
  });
});
