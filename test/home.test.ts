import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, afterEach, describe, expect, onTestFinished, test } from "vitest";
import { HomeError, HomeTakenError, isFolder, prepareHome, readEnvFile, takeHome } from "../src/home.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "evie-home-"));
});

afterEach(() => rmSync(root, { recursive: true }));

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Another process that takes `folder`, and what it said: "taken" or the error's words. `then` runs once it has it. */
async function startOther(folder: string, then = "") {
  const script = `
    import { takeHome } from ${JSON.stringify(new URL("../src/home.ts", import.meta.url).href)};
    try {
      const release = takeHome(${JSON.stringify(folder)});
      ${then};
      console.log("taken");
      process.stdin.on("data", () => { release(); console.log("released"); }).resume();
    } catch (error) {
      console.log(error.message);
    }`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async (): Promise<string> => String((await lines.next()).value);
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  return { pid: child.pid, first: await said(), said, release: () => child.stdin.write("\n"), kill };
}

describe("the home folder", () => {
  test("is made with what belongs inside, for its owner only", () => {
    const folder = join(root, "deep/evie");
    const home = prepareHome(folder);
    expect(home).toEqual({
      sessions: join(folder, "sessions"),
      files: join(folder, "files"),
      database: join(folder, "evie.db"),
    });
    expect([folder, home.sessions, home.files].map(modeOf)).toEqual(["700", "700", "700"]);
  });

  test("that others could look into is closed to them, and what was inside stays", () => {
    mkdirSync(join(root, "sessions"));
    writeFileSync(join(root, "lock.db"), "");
    writeFileSync(join(root, "sessions/a"), "kept");
    for (const path of [root, join(root, "sessions")]) chmodSync(path, 0o755);
    prepareHome(root);
    expect([root, join(root, "sessions")].map(modeOf)).toEqual(["700", "700"]);
    expect(readFileSync(join(root, "sessions/a"), "utf8")).toBe("kept");
  });

  test("that everybody shares is left as it is and refused", () => {
    chmodSync(root, 0o1777);
    expect(() => prepareHome(root)).toThrow(/shared with others.*set EVIE_HOME to another one/);
    expect(modeOf(root)).toBe("777");
  });

  test.each(["a file", "a file/below it"])("that cannot be is refused with a way out: %s", (name) => {
    writeFileSync(join(root, "a file"), "");
    expect(() => prepareHome(join(root, name))).toThrow(HomeError);
    expect(() => prepareHome(join(root, name))).toThrow(/set EVIE_HOME to another one/);
  });
});

test("a home where the system takes no folders is refused at once", () => {
  expect(() => prepareHome("/proc/evie/home")).toThrow(HomeError);
});

describe("the file .env", () => {
  test("is read when there is one", () => {
    writeFileSync(join(root, ".env"), "LOG_LEVEL=debug\n");
    expect(readEnvFile(root)).toBe("LOG_LEVEL=debug\n");
    expect(readEnvFile(join(root, "nowhere"))).toBeUndefined();
    expect(readEnvFile(join(root, ".env"))).toBeUndefined();
  });

  const line = "LOG_LEVEL=debug\n";
  test.each<[string, Buffer]>([
    ["UTF-8", Buffer.from(`\ufeff${line}`)],
    ["UTF-16, the low byte first", Buffer.from(`\ufeff${line}`, "utf16le")],
    ["UTF-16, the high byte first", Buffer.from(`\ufeff${line}`, "utf16le").swap16()],
  ])("is read behind a byte order mark, in %s", (_, bytes) => {
    writeFileSync(join(root, ".env"), bytes);
    expect(readEnvFile(root)).toBe(line);
  });

  test("that is no text is told, not read as something else", () => {
    writeFileSync(join(root, ".env"), Buffer.from(line, "utf16le"));
    expect(() => readEnvFile(root)).toThrow(/\.env is not in UTF-8\. Save it in UTF-8/);
  });

  test("that cannot be read is told, not passed over", () => {
    mkdirSync(join(root, ".env"));
    expect(() => readEnvFile(root)).toThrow(/\.env cannot be read \(EISDIR\)/);
  });
});

test("a folder is told from a file and from nothing", () => {
  writeFileSync(join(root, "a file"), "");
  expect([root, join(root, "a file"), join(root, "a file/x"), join(root, "no")].map(isFolder)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

describe("one evie a home", () => {
  test("a second one is refused, and told whose home it is and what to do", async () => {
    const other = await startOther(root);
    expect(other.first).toBe("taken");
    expect(() => takeHome(root)).toThrow(HomeTakenError);
    expect(() => takeHome(root)).toThrow(
      `Another evie (process ${other.pid}) runs on ${root} already. End it first (kill ${other.pid}), or set EVIE_HOME`,
    );
  });

  test("the one who was refused disturbs nobody", async () => {
    const release = takeHome(root);
    onTestFinished(release);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const other = await startOther(root);
      expect(other.first).toContain(`process ${process.pid}`);
    }
    expect(readFileSync(join(root, "evie.pid"), "utf8")).toBe(`${process.pid}\n`);
  });

  test("without a readable pid it is refused all the same", async () => {
    const release = takeHome(root);
    onTestFinished(release);
    writeFileSync(join(root, "evie.pid"), "nonsense");
    expect((await startOther(root)).first).toMatch(/^Another evie runs on/);
    rmSync(join(root, "evie.pid"));
    expect((await startOther(root)).first).toMatch(/^Another evie runs on/);
  });

  test("a release lets the next one in, and may be repeated", async () => {
    const other = await startOther(root);
    other.release();
    expect(await other.said()).toBe("released");
    const release = takeHome(root);
    release();
    release();
    expect(() => readFileSync(join(root, "evie.pid"))).toThrow("ENOENT");
    expect((await startOther(root)).first).toBe("taken");
  });

  test("a process that was killed leaves the home free, even when a child of its lives on", async () => {
    const spawnChild = `
      const { spawn } = await import("node:child_process");
      console.log(spawn("sleep", ["600"], { detached: true, stdio: "ignore" }).pid)`;
    const other = await startOther(root, spawnChild);
    const orphan = Number(other.first);
    onTestFinished(() => void process.kill(orphan, "SIGKILL"));
    expect(await other.said()).toBe("taken");
    expect(() => takeHome(root)).toThrow(HomeTakenError);
    await other.kill();
    expect(readFileSync(join(root, "evie.pid"), "utf8")).toBe(`${other.pid}\n`);
    const release = takeHome(root);
    onTestFinished(release);
    expect(readFileSync(join(root, "evie.pid"), "utf8")).toBe(`${process.pid}\n`);
  });

  test("two homes do not know each other", async () => {
    const [one, two] = [join(root, "one"), join(root, "two")];
    for (const folder of [one, two]) prepareHome(folder);
    const release = takeHome(one);
    onTestFinished(release);
    expect((await startOther(two)).first).toBe("taken");
  });

  test("a lock that is damaged is told with a way out", () => {
    writeFileSync(join(root, "lock.db"), "no database, but long enough to be one".repeat(100));
    expect(() => takeHome(root)).toThrow(/Remove lock\.db/);
  });
});
