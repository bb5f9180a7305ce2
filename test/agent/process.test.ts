import { tmpdir } from "node:os";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { READ_EVERY, READS_AT_ONCE } from "../../src/agent/paced-reading.ts";
import { startProcess } from "../../src/agent/process.ts";
import type { LineProcess } from "../../src/agent/process.ts";
import { realClock } from "../../src/clock.ts";
import { isRunning } from "./subjects.ts";

/** Runs a program of one line. */
function start(
  script: string,
  env: Readonly<Record<string, string>> = {},
): LineProcess & { readonly lines: string[] } {
  const lines: string[] = [];
  const started = startProcess({
    file: process.execPath,
    args: ["-e", script],
    cwd: tmpdir(),
    env,
    clock: realClock,
    onLine: (line) => lines.push(line),
  });
  return { ...started, lines };
}

describe("a program that talks in lines", () => {
  test("is heard to its last word, also without a line end", async () => {
    const { ended, lines } = start("process.stdout.write('one\\ntwo'); process.exitCode = 4");
    expect(await ended).toEqual({ type: "exited", exit: { code: 4 } });
    expect(lines).toEqual(["one", "two"]);
  });

  test("is heard to its last word when its end is noticed first", async () => {
    const { ended, lines, pid } = start(
      "require('fs').writeSync(1, '{}\\n'.repeat(20000)); require('fs').writeSync(2, 'bye'); process.exit(1)",
    );
    // Nothing is read before its end: both are noticed in the same turn of the event loop.
    while (isRunning(pid ?? 0));
    expect(await ended).toEqual({ type: "exited", exit: { code: 1, lastWords: "bye" } });
    expect(lines).toHaveLength(20_000);
  });

  test("is heard to its last word when much comes at its end after it has talked on and on", async () => {
    const { ended, lines } = start(`
      const line = "x".repeat(63) + "\\n";
      let n = 0;
      setInterval(() => {
        require('fs').writeSync(1, line);
        n += 1;
        if (n < 40) return;
        require('fs').writeSync(1, line.repeat(2000));
        process.exit();
      }, 3);`);
    await ended;
    expect(lines).toHaveLength(2_040);
  });

  test("is heard right when its writes cut characters", async () => {
    const { ended, lines } = start(`
      const bytes = Buffer.from("grüße 😀\\n");
      (async () => { for (const byte of bytes) {
        process.stdout.write(Buffer.of(byte));
        await new Promise(setImmediate);
      } })();`);
    await ended;
    expect(lines).toEqual(["grüße 😀"]);
  });

  test("hears what is written to it", async () => {
    const { lines, writeLine, dismiss } = start("process.stdin.pipe(process.stdout)");
    const text = `{"a":"${"ü".repeat(1_000_000)}"}`;
    writeLine(text);
    writeLine("end");
    await expect.poll(() => lines.length).toBe(2);
    await dismiss();
    // Compared apart from the assertion, whose difference nobody wants to read.
    expect(lines[0] === text).toBe(true);
    expect(lines[1]).toBe("end");
  });

  test("may be written to after its end", async () => {
    const { ended, writeLine } = start("process.stdin.destroy()");
    writeLine("x".repeat(1_000_000));
    await ended;
    writeLine("nobody reads this");
    await expect(ended).resolves.toEqual({ type: "exited", exit: { code: 0 } });
  });

  test("has the environment that was given, and besides only a mark of its own", async () => {
    const [one, other] = ["this", "that"].map((only) =>
      start("console.log(JSON.stringify(process.env))", { ONLY: only }),
    );
    await Promise.all([one?.ended, other?.ended]);
    const environments = [one, other].map(
      (each) => JSON.parse(each?.lines[0] ?? "{}") as Record<string, string>,
    );
    expect(environments).toEqual([
      { ONLY: "this", _EVIE_AGENT: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { ONLY: "that", _EVIE_AGENT: expect.not.stringMatching(environments[0]?.["_EVIE_AGENT"] ?? "none") },
    ]);
  });

  test("has a process group of its own", async () => {
    const { ended, lines, pid } = start(
      "console.log(require('fs').readFileSync('/proc/self/stat', 'latin1').split(' ')[4])",
    );
    await ended;
    expect(lines).toEqual([`${pid}`]);
  });

  test("wakes nobody for each piece that it writes without a pause, and is heard whole", async () => {
    const moments = new Set<number>();
    const lines: string[] = [];
    const { ended } = startProcess({
      file: process.execPath,
      args: [
        "-e",
        "let n = 0; setInterval(() => { console.log(n += 1); if (n === 200) process.exit(); }, 3)",
      ],
      cwd: tmpdir(),
      env: {},
      clock: realClock,
      onLine: (line) => {
        moments.add(Math.floor(realClock.now()));
        lines.push(line);
      },
    });
    const began = realClock.now();
    await ended;
    const elapsed = realClock.now() - began;
    expect(lines).toEqual(Array.from({ length: 200 }, (_, index) => `${index + 1}`));
    // A read may fall upon two milliseconds.
    expect(moments.size).toBeLessThanOrEqual(2 * (READS_AT_ONCE + elapsed / READ_EVERY + 2));
  });

  test("fills no memory, whatever it floods stdout and stderr with", async () => {
    const before = process.memoryUsage().rss;
    const { ended, lines } = start(`
      const chunk = "x".repeat(2 ** 20);
      for (let i = 0; i < 300; i += 1) { require('fs').writeSync(1, chunk); require('fs').writeSync(2, chunk); }
      require('fs').writeSync(2, "\\nlast words\\n");`);
    expect(await ended).toEqual({ type: "exited", exit: { code: 0, lastWords: "last words" } });
    expect(lines).toHaveLength(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);
  });

  test.each([
    ["/nowhere/at/all", "ENOENT"],
    [tmpdir(), "EACCES"],
  ])("that cannot be started ends with the system's code (%s)", async (file, code) => {
    const { ended, dismiss, pid, writeLine } = startProcess({
      file,
      args: [],
      cwd: tmpdir(),
      env: {},
      clock: realClock,
      onLine: () => {},
    });
    writeLine("hello");
    expect(await ended).toMatchObject({ type: "not_started", code });
    expect(pid).toBeUndefined();
    await dismiss();
  });

  test("that was ended by a signal tells which", async () => {
    const { ended } = start("process.kill(process.pid, 'SIGSEGV'); setInterval(() => {}, 1000)");
    expect(await ended).toEqual({ type: "exited", exit: { signal: "SIGSEGV" } });
  });

  test("ends when it is dismissed, by SIGTERM and the end of its stdin", async () => {
    const { ended, dismiss, lines } = start(`
      process.on('SIGTERM', () => console.log('term'));
      process.stdin.on('end', () => setTimeout(() => process.exit(9), 50)).resume();
      console.log('ready')`);
    await expect.poll(() => lines).toEqual(["ready"]);
    await Promise.all([dismiss(), dismiss()]);
    expect(await ended).toEqual({ type: "exited", exit: { code: 9 } });
    expect(lines).toEqual(["ready", "term"]);
  });
});
