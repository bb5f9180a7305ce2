import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeChatKey, makeSessionId, parseSessionId } from "../../src/domain/ids.ts";
import { asStoreError, StoreError } from "../../src/store/open-database.ts";
import { openStore } from "../../src/store/store.ts";
import type { Store } from "../../src/store/store.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

let folder: string;
let path: string;
const opened: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evie-store-"));
  path = join(folder, "evie.db");
});

afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  rmSync(folder, { recursive: true });
});

function open() {
  const result = openStore(path, createFakeClock());
  opened.push(result.store);
  return result;
}

function newSession(createdAt = 1000) {
  return { id: makeSessionId(), cwd: "/work", face: "telegram", createdAt } as const;
}

describe("sessions", () => {
  test("are remembered over a restart", () => {
    const session = newSession();
    const { store } = open();
    store.sessions.add(session);
    store.close();
    const again = open();
    expect(again.setAside).toBeUndefined();
    expect(again.store.sessions.get(session.id)).toEqual({
      ...session,
      lastUsedAt: 1000,
      file: `${session.id}.jsonl`,
    });
    expect(again.store.sessions.get(makeSessionId())).toBeUndefined();
  });

  test("may have a file of another name", () => {
    const session = { ...newSession(), file: "old.jsonl" };
    const { store } = open();
    store.sessions.add(session);
    expect(store.sessions.get(session.id)?.file).toBe("old.jsonl");
  });

  test("are listed with the last used first", () => {
    const { sessions } = open().store;
    const [first, second, third] = [newSession(1), newSession(2), newSession(3)];
    for (const session of [first, second, third]) sessions.add(session);
    expect(sessions.list().map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
  });

  test("are added once", () => {
    const { sessions } = open().store;
    const session = newSession();
    sessions.add(session);
    expect(() => sessions.add(session)).toThrow("UNIQUE");
  });

  test("that were spoiled from outside are refused, not passed on", () => {
    const { sessions } = open().store;
    const session = newSession();
    sessions.add(session);
    const meddler = new DatabaseSync(path);
    meddler.exec("UPDATE sessions SET face = 'pigeon'");
    meddler.close();
    expect(() => sessions.get(session.id)).toThrow(`The session ${session.id} in the store is damaged.`);
  });

  test("keep times and words that are out of the ordinary", () => {
    const { sessions } = open().store;
    const session = { ...newSession(Date.UTC(2200, 0)), cwd: '/home/ann\'s "work" 👩‍👩‍👧‍👦' };
    sessions.add(session);
    expect(sessions.get(session.id)).toMatchObject(session);
  });
});

describe("a chat", () => {
  const chat = makeChatKey({ chatId: -100123, threadId: 4 });

  test("points to the session it was pointed to last, over a restart too", () => {
    const { store } = open();
    expect(store.chats.sessionOf(chat)).toBeUndefined();
    const [first, second] = [newSession(), newSession()];
    for (const session of [first, second]) {
      store.sessions.add(session);
      store.chats.point(chat, session.id);
    }
    expect(store.chats.sessionOf(makeChatKey({ chatId: -100123 }))).toBeUndefined();
    store.close();
    const again = open().store;
    expect(again.chats.sessionOf(chat)).toBe(second.id);
    expect(again.chats.keys()).toEqual([chat]);
    expect(again.sessions.list()).toHaveLength(2);
  });

  test("cannot point to a session that nobody knows", () => {
    const { chats } = open().store;
    expect(() => chats.point(chat, makeSessionId())).toThrow("FOREIGN KEY");
    expect(chats.sessionOf(chat)).toBeUndefined();
  });
});

describe("the file", () => {
  test("is for its owner only, with what lies beside it", () => {
    const { store } = open();
    store.sessions.add(newSession());
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      "evie.db": 0o600,
      "evie.db.owner": 0o600,
      "evie.db-wal": 0o600,
      "evie.db-shm": 0o600,
    });
  });

  test("that others could read is closed to them", () => {
    open().store.close();
    chmodSync(path, 0o644);
    open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("from a newer evie is left as it is, and the message says what to do", () => {
    open().store.close();
    const newer = new DatabaseSync(path);
    newer.exec("PRAGMA user_version = 999");
    newer.close();
    const before = readFileSync(path);
    expect(() => open()).toThrow(StoreError);
    expect(() => open()).toThrow(/newer evie.*Update evie/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each([
    { what: "full", fields: { code: "ENOSPC" }, says: /the disk that holds it is full\. Make room on it/ },
    { what: "full, in SQLite's words", fields: { errcode: 13 }, says: /is full\. Make room on it/ },
    { what: "read-only", fields: { code: "EROFS" }, says: /is mounted read-only\. Mount it for writing/ },
    { what: "another's", fields: { code: "EACCES" }, says: /the file belongs to you/ },
  ])("whose disk is $what is told with what to do about that", ({ fields, says }) => {
    const { message } = asStoreError("/data/evie.db", Object.assign(new Error("no"), fields));
    expect(message).toMatch(says);
  });

  test("that cannot be made is told", () => {
    path = join(folder, "nowhere", "evie.db");
    expect(() => open()).toThrow(/cannot be opened.*ENOENT/);
  });

  test("that was killed in mid-work holds everything that was said to be written", async () => {
    const script = `
      import { openStore } from ${JSON.stringify(new URL("../../src/store/store.ts", import.meta.url).href)};
      import { makeSessionId } from ${JSON.stringify(new URL("../../src/domain/ids.ts", import.meta.url).href)};
      import { writeSync } from "node:fs";
      const { store } = openStore(${JSON.stringify(path)}, { date: () => 0 });
      for (;;) {
        const id = makeSessionId();
        store.sessions.add({ id, cwd: "/", face: "telegram", createdAt: 1 });
        writeSync(1, id + "\\n");
      }`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      said.push(line);
      if (said.length === 30) child.kill("SIGKILL");
    }
    await ended;
    const { store, setAside } = open();
    expect(setAside).toBeUndefined();
    const missing = said.filter((line) => {
      const id = parseSessionId(line);
      return id === undefined || store.sessions.get(id) === undefined;
    });
    expect(missing).toEqual([]);
  });
});

describe("a damaged file", () => {
  /** A store with enough in it to have more than a page. */
  function fill(): void {
    const { store } = open();
    for (let count = 0; count < 200; count += 1) store.sessions.add(newSession());
    store.close();
  }

  test.each([
    ["is no database at all", () => Buffer.from("this is no database".repeat(100))],
    ["has a spoiled page", () => readFileSync(path).fill(0xff, 8192, 12_288)],
    ["is cut in the middle", () => readFileSync(path).subarray(0, 9000)],
  ])("that %s is set aside under a dated name, and evie goes on with a new one", (_name, damage) => {
    fill();
    const damaged = damage();
    writeFileSync(path, damaged);
    const { store, setAside } = open();
    expect(setAside).toBe(`${path}.damaged-2026-01-01T00-00-00Z`);
    expect(readFileSync(String(setAside)).equals(damaged)).toBe(true);
    expect(store.sessions.list()).toEqual([]);
    const session = newSession();
    store.sessions.add(session);
    store.close();
    expect(open().store.sessions.list()).toMatchObject([{ id: session.id }]);
  });

  /** A store of more than 64 MiB, nearly all of it messages; gives the number of a page in the middle of those, and of the sessions. */
  function fillLarge(): { readonly inMessages: number; readonly ofSessions: number } {
    const { store } = open();
    const session = newSession();
    store.together(() => {
      store.sessions.add(session);
      for (let count = 0; count < 70; count += 1) {
        const content = [{ type: "text", text: "x".repeat(2 ** 20) }] as const;
        store.messages.save(session.id, { key: `m${count}`, role: "user", at: count, content });
      }
    });
    store.close();
    const database = new DatabaseSync(path);
    const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'").get();
    const count = database.prepare("PRAGMA page_count").get();
    database.close();
    return {
      inMessages: Math.floor(Number(count?.["page_count"]) / 2),
      ofSessions: Number(row?.["rootpage"]),
    };
  }

  function spoil(page: number): void {
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, (page - 1) * 4_096);
    closeSync(file);
  }

  test("that is large is not read through at the start: what was said is left out, and all the rest is looked at", () => {
    const { inMessages, ofSessions } = fillLarge();
    spoil(inMessages);
    const first = open();
    expect(first.setAside).toBeUndefined();
    first.store.close();
    spoil(ofSessions);
    const second = open();
    expect(second.setAside).toBeDefined();
    second.store.close();
  });

  test("does not take the place of one that was set aside before", () => {
    const setAside = ["first ", "second "].map((text) => {
      writeFileSync(path, text.repeat(200));
      const opening = open();
      opening.store.close();
      return String(opening.setAside);
    });
    const asides = setAside.map((file) => readFileSync(file, "utf8").split(" ")[0]);
    expect(asides).toEqual(["first", "second"]);
  });

  test("takes along what was written last and lay beside it still", () => {
    fill();
    const { store } = open();
    const last = newSession();
    store.sessions.add(last);
    // As a crash would leave them: closing would have merged the two.
    const [database, beside] = [readFileSync(path), readFileSync(`${path}-wal`)];
    store.close();
    writeFileSync(path, database.fill(0xff, 0, 4096));
    writeFileSync(`${path}-wal`, beside);
    expect(database.includes(last.id)).toBe(false);
    const { setAside } = open();
    expect(readFileSync(String(setAside)).includes(last.id)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.startsWith("evie.db.damaged"))).toHaveLength(1);
  });

  test("with nothing in it is only a new one", () => {
    writeFileSync(path, "");
    expect(open().setAside).toBeUndefined();
  });
});
