import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { borrowSettings } from "../../src/agent/pi/borrowed-settings.ts";
import { nearestFolder, whyNotWritable } from "../../src/check/writable.ts";
import { realClock } from "../../src/clock.ts";
import { prepareHome, takeHome } from "../../src/home.ts";
import { checkDatabase } from "../../src/store/check-database.ts";
import { openStore } from "../../src/store/store.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { listing } from "../fakes/listing.ts";
import { canMount, mountSmallDisk } from "../fakes/small-disk.ts";

const LAUNCHER = fileURLToPath(new URL("../../src/launcher.ts", import.meta.url));

/** Everything that a person has: their own folder, with the workspace and EVIE_HOME in it. */
let person: string;
let home: string;
let workspace: string;

beforeEach(() => {
  person = mkdtempSync(join(tmpdir(), "evie-person-"));
  home = join(person, ".evie");
  workspace = join(person, "code");
  mkdirSync(workspace);
});

afterEach(() => rmSync(person, { recursive: true }));

/** Runs `evie check` with the real pi, as the installed command does, where Telegram does not answer. */
async function check(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = {
    cwd: workspace,
    env: {
      PATH: process.env["PATH"],
      HOME: person,
      TELEGRAM_BOT_TOKEN: "123456789:AAnobodyKnowsThisOne",
      TELEGRAM_API_ROOT: "http://127.0.0.1:9",
      ANTHROPIC_API_KEY: "a-key",
      ...env,
    },
  };
  return await new Promise((resolve) => {
    execFile(process.execPath, [LAUNCHER, "check"], options, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

const temporary = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("evie-check-"));

describe("evie check changes nothing in all that a person has, with the real pi:", () => {
  test.each([
    { what: "before the first start", prepare: () => undefined, says: /ok {2}home .*is not there yet/ },
    {
      what: "with settings of pi's",
      prepare: () => {
        const agent = join(person, ".pi/agent");
        mkdirSync(join(agent, "extensions"), { recursive: true });
        writeFileSync(join(agent, "settings.json"), '{"defaultProvider":"anthropic"}');
        writeFileSync(join(agent, "auth.json"), '{"openai":{"type":"api_key","key":"secret"}}');
        mkdirSync(home);
        writeFileSync(join(home, ".env"), "LOG_LEVEL=debug\n");
      },
      says: /ok {2}home .*is empty; the first start/,
    },
    {
      what: "of a home that evie ended in order",
      prepare: () => openStore(prepareHome(home).database, realClock).store.close(),
      says: /ok {2}store +It is sound/,
    },
    {
      what: "of a folder that is not evie's",
      prepare: () => {
        mkdirSync(home);
        writeFileSync(join(home, "letter.txt"), "");
      },
      says: /!! {2}home .*holds what is not evie's \(letter\.txt\)/,
    },
  ])(
    "$what",
    async ({ prepare, says }) => {
      prepare();
      const before = listing(person);
      const left = temporary();
      const said = await check();
      expect(said).toMatch(says);
      expect(said).toMatch(/ok {2}agent +It starts, and asks /);
      expect(listing(person)).toEqual(before);
      // Other tests run beside this one; what is new there must not be ours for long.
      await expect.poll(() => temporary().filter((name) => !left.includes(name))).toEqual([]);
    },
    40_000,
  );
});

describe("the database is looked at, and neither it nor what is beside it changes:", () => {
  const look = (): unknown => {
    const before = listing(home);
    const found = checkDatabase(join(home, "evie.db"));
    expect(listing(home)).toEqual(before);
    return found;
  };

  test("while evie runs on it, with what it wrote last", () => {
    const { store } = openStore(prepareHome(home).database, realClock);
    store.owner.own(4_711, 0);
    expect(look()).toEqual({ type: "sound", owner: 4_711 });
    store.close();
    expect(readdirSync(home)).not.toContain("evie.db-wal");
    expect(look()).toEqual({ type: "sound", owner: 4_711 });
  });

  test("after evie was killed, with what it wrote last", () => {
    const running = join(person, "running");
    const { store } = openStore(prepareHome(running).database, realClock);
    store.owner.own(4_711, 0);
    // As a kill leaves it.
    cpSync(running, home, { recursive: true });
    store.close();
    expect(look()).toEqual({ type: "sound", owner: 4_711 });
  });

  test("of an earlier evie, which had no owners", () => {
    mkdirSync(home);
    new DatabaseSync(join(home, "evie.db")).exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 1");
    expect(look()).toEqual({ type: "sound", owner: undefined });
  });

  test("damaged", () => {
    mkdirSync(home);
    writeFileSync(join(home, "evie.db"), "this was a database once".repeat(100));
    expect(look()).toMatchObject({ type: "damaged" });
  });
});

test("an evie that runs is seen by its lock, which stays as it is", async () => {
  prepareHome(home);
  const free = await check({ EVIE_AGENT_COMMAND: "/nowhere" });
  expect(free).toMatch(/ok {2}home .*evie's own, and no evie runs on it/);
  const release = takeHome(home);
  const before = listing(home);
  const taken = await check({ EVIE_AGENT_COMMAND: "/nowhere" });
  expect(taken).toContain(`an evie runs on it (process ${process.pid})`);
  expect(listing(home)).toEqual(before);
  release();
}, 20_000);

describe("whether a folder can be written is asked, not tried:", () => {
  test("one that can be written", () => {
    const before = listing(person);
    expect(whyNotWritable(workspace)).toBeUndefined();
    expect(listing(person)).toEqual(before);
  });

  test("one that is not there", () => {
    expect(whyNotWritable(join(person, "gone"))?.code).toBe("ENOENT");
    expect(nearestFolder(join(person, "gone/deeper"))).toBe(person);
  });

  test.runIf(process.platform === "linux")("one of the system's, which takes no files", () => {
    expect(whyNotWritable("/proc")).toBeDefined();
  });

  test.runIf(canMount())("one on a disk that is mounted read-only", () => {
    using disk = mountSmallDisk(64);
    disk.lock(true);
    expect(whyNotWritable(disk.folder)?.code).toBe("EROFS");
  });
});

describe("pi's settings, borrowed for one start,", () => {
  test("hold no key and nothing that expires soon; what only tells where a key is stays", () => {
    const own = join(person, "agent");
    mkdirSync(join(own, "sessions"), { recursive: true });
    const auth = {
      one: { type: "api_key", key: "sk-secret-1" },
      two: { type: "oauth", access: "secret-2", refresh: "secret-3", expires: 5, accountId: "7" },
      three: { type: "api_key", key: "$THE_KEY" },
      four: { type: "api_key", key: "!op read" },
    };
    writeFileSync(join(own, "auth.json"), JSON.stringify(auth));
    writeFileSync(join(own, "mcp.json"), "{}");
    writeFileSync(join(own, "models.json"), "{}");
    chmodSync(join(own, "models.json"), 0o644);
    const clock = createFakeClock();
    const { env, remove } = borrowSettings({ HOME: person, PI_CODING_AGENT_DIR: "~/agent" }, clock);
    const copy = env["PI_CODING_AGENT_DIR"] ?? "";
    expect(readdirSync(copy).toSorted()).toEqual(["auth.json", "models.json"]);
    const text = readFileSync(join(copy, "auth.json"), "utf8");
    expect(text).not.toContain("secret");
    const { one, two, three, four } = JSON.parse(text) as typeof auth;
    expect(one.type).toBe("api_key");
    expect(two.expires).toBeGreaterThan(clock.date());
    expect(two.accountId).toBe("7");
    expect([three, four]).toEqual([auth.three, auth.four]);
    expect(env["TMPDIR"]?.startsWith(tmpdir())).toBe(true);
    remove();
    remove();
    expect(() => readdirSync(copy)).toThrow("ENOENT");
    expect(readFileSync(join(own, "auth.json"), "utf8")).toBe(JSON.stringify(auth));
  });

  test("are none where pi has none", () => {
    const { env, remove } = borrowSettings({ HOME: person }, createFakeClock());
    expect(readdirSync(env["PI_CODING_AGENT_DIR"] ?? "")).toEqual([]);
    remove();
    expect(readdirSync(person)).toEqual(["code"]);
  });
});
