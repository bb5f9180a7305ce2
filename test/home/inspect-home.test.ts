import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock } from "../../src/clock.ts";
import { HomeError, prepareHome, takeHome } from "../../src/home.ts";
import { refusedBySystem } from "../../src/home/home-error.ts";
import { inspectHome, MARK } from "../../src/home/inspect-home.ts";
import { openStore } from "../../src/store/store.ts";
import { unclaim } from "../../src/unclaim.ts";
import { listing } from "../fakes/listing.ts";
import { canMount, mountSmallDisk } from "../fakes/small-disk.ts";

let root: string;
let home: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "evie-home-"));
  home = join(root, "home");
  mkdirSync(home);
});

afterEach(() => rmSync(root, { recursive: true }));

/** Makes files, and folders where a name ends with a slash. */
function make(names: readonly string[]): void {
  for (const name of names) {
    const path = join(home, name);
    if (name.endsWith("/")) mkdirSync(path, { recursive: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
    }
  }
}

/** The home that evie left behind before it made marks. */
function makeEarlierHome(folder: string): void {
  prepareHome(folder);
  openStore(join(folder, "evie.db"), realClock).store.close();
  takeHome(folder)();
  rmSync(join(folder, MARK));
}

function says(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof HomeError) return error.message;
    throw error;
  }
  return "";
}

/** Does `act` as a user whom the modes of files bind; root is not bound. */
function asNobody<Value>(act: () => Value): Value {
  if (process.getuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

describe("a folder that holds what is not evie's is refused, by its name, and nothing in it is touched:", () => {
  test.each([
    { what: "a file", names: ["letter.txt"] },
    { what: "a hidden file", names: [".bashrc"] },
    { what: "a project", names: [".env", "package.json", "src/main.ts"] },
    { what: "folders that are named as evie's are", names: ["files/holiday.jpg", "sessions/a.jsonl"] },
    { what: "a database of another program", names: ["evie.db", "app.py"] },
    { what: "a lock of another program", names: ["lock.db", "yarn.lock"] },
    { what: "a folder named playground", names: ["playground/index.html"] },
  ])("$what", ({ names }) => {
    make(names);
    const before = listing(root);
    const words = says(() => prepareHome(home));
    expect(words).toContain(`EVIE_HOME (${home}) cannot be used: it holds what is not evie's (`);
    expect(words).toMatch(/Set EVIE_HOME to an empty folder, or to one that is not there yet/);
    expect(() => unclaim(home)).toThrow(HomeError);
    expect(listing(root)).toEqual(before);
  });

  test("more names than three are counted, and none writes over the terminal", () => {
    make(["a", "b\u001b[2J", "c", "d", "e"]);
    expect(says(() => inspectHome(home))).toContain(String.raw`(a, b\u001b[2J, c and 2 more)`);
  });
});

describe("a folder that is nobody's becomes evie's, and has its mark then:", () => {
  test.each([
    { what: "one that is not there", names: undefined },
    { what: "an empty one", names: [] },
    { what: "one with settings", names: [".env", ".env~"] },
    { what: "a disk of its own", names: ["lost+found/"] },
  ])("$what", ({ names }) => {
    if (names === undefined) rmSync(home, { recursive: true });
    else make(names);
    prepareHome(home);
    expect(existsSync(join(home, MARK))).toBe(true);
    writeFileSync(join(home, "a note"), "");
    expect(inspectHome(home)).toBe("evie's");
  });

  test("one where only the playground was", () => {
    prepareHome(join(home, "playground"));
    expect(inspectHome(home)).toBe("empty");
    prepareHome(home);
    expect(inspectHome(home)).toBe("evie's");
  });
});

describe("the home of an earlier evie is known by its database, and gets the mark:", () => {
  test.each([
    { what: "as it was left", change: () => undefined },
    { what: "with other files beside", change: () => writeFileSync(join(home, "a note"), "") },
    { what: "with a damaged database", change: () => writeFileSync(join(home, "evie.db"), "damaged") },
    { what: "before its first database", change: () => rmSync(join(home, "evie.db")) },
  ])("$what", ({ change }) => {
    makeEarlierHome(home);
    change();
    expect(inspectHome(home)).toBe("evie's");
    prepareHome(home);
    expect(existsSync(join(home, MARK))).toBe(true);
  });

  test("with other files beside, while what was written last is in the database's companions", () => {
    makeEarlierHome(home);
    const { store } = openStore(join(home, "evie.db"), realClock);
    writeFileSync(join(home, "a note"), "");
    expect(inspectHome(home)).toBe("evie's");
    store.close();
  });

  test("a database that has no table of evie's is none", () => {
    new DatabaseSync(join(home, "evie.db")).exec("CREATE TABLE sessions (a)");
    writeFileSync(join(home, "a note"), "");
    expect(() => inspectHome(home)).toThrow(HomeError);
  });
});

describe("each thing that cannot be a home has its own words:", () => {
  test("a file", () => {
    make(["file"]);
    expect(says(() => prepareHome(join(home, "file")))).toMatch(
      /it is a file, not a folder\. Make it a folder/,
    );
  });

  test("a path through a file", () => {
    make(["file"]);
    expect(says(() => prepareHome(join(home, "file/below")))).toMatch(/a part of that path is a file/);
  });

  test("a link to a folder that is not evie's yet, which stays empty", () => {
    symlinkSync(home, join(root, "link"));
    expect(says(() => prepareHome(join(root, "link")))).toContain(
      `it is a link to ${home}. Set EVIE_HOME to ${home} itself, or to another folder.`,
    );
    expect(readdirSync(home)).toEqual([]);
  });

  test("a link to nothing, which stays one", () => {
    symlinkSync(join(root, "gone"), join(root, "link"));
    expect(says(() => prepareHome(join(root, "link")))).toMatch(/it is a link to .*gone, which is not there/);
    expect(existsSync(join(root, "gone"))).toBe(false);
  });

  test("a link to a home that is evie's already is followed", () => {
    makeEarlierHome(home);
    symlinkSync(home, join(root, "link"));
    expect(inspectHome(join(root, "link"))).toBe("evie's");
  });

  test.each([
    { what: "cannot be read", mode: 0o300 },
    { what: "cannot be written", mode: 0o500 },
  ])("a folder that $what", ({ mode }) => {
    chmodSync(root, 0o755);
    // Another's, for the system; and closed to others, so that only what the mode says is in the way.
    chmodSync(home, process.getuid?.() === 0 ? mode >> 6 : mode);
    const words = says(() => asNobody(() => prepareHome(home)));
    expect(words).toMatch(
      /the user evie runs as may not read and write there \(E\w+: .*\)\. Give the folder/,
    );
    chmodSync(home, 0o700);
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    { code: "ENOSPC", says: "is full. Make room on it, and start evie again." },
    { code: "EDQUOT", says: "may put no more on the disk that holds it. Remove some" },
    { code: "EROFS", says: "is mounted read-only. Mount it for writing" },
  ])("a disk that takes nothing: $code", ({ code, says: words }) => {
    const { message } = refusedBySystem(home, Object.assign(new Error(code), { code }));
    expect(message).toContain(words);
    expect(message).not.toMatch(/set EVIE_HOME to another|Give the folder/);
  });

  test.runIf(canMount())("a real disk that is full, and one that is mounted read-only", () => {
    using disk = mountSmallDisk(16);
    const folder = join(disk.folder, "evie");
    mkdirSync(folder);
    try {
      for (let part = 0; ; part += 1) writeFileSync(join(disk.folder, `filled-${part}`), "x".repeat(4_096));
    } catch {
      // It is full now.
    }
    expect(says(() => prepareHome(folder))).toMatch(/is full\. Make room on it, and start evie again/);
    disk.lock(true);
    expect(says(() => prepareHome(folder))).toMatch(/is mounted read-only\. Mount it for writing/);
  });
});
