import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { diskTroubleOf, diskTroubleWords } from "../../src/domain/disk.ts";

const systemError = (code: string): Error => Object.assign(new Error(code), { code });
const sqliteError = (errcode: number): Error =>
  Object.assign(new Error("sqlite"), { code: "ERR_SQLITE_ERROR", errcode });

test.each([
  { what: "no space", error: systemError("ENOSPC"), trouble: "full" },
  { what: "no space for this user", error: systemError("EDQUOT"), trouble: "quota" },
  { what: "a disk for reading", error: systemError("EROFS"), trouble: "read-only" },
  { what: "SQLITE_FULL", error: sqliteError(13), trouble: "full" },
  { what: "SQLITE_READONLY", error: sqliteError(8), trouble: "read-only" },
  { what: "SQLITE_READONLY_DBMOVED", error: sqliteError(1_032), trouble: "read-only" },
  { what: "a cause", error: new Error("no", { cause: systemError("ENOSPC") }), trouble: "full" },
  { what: "another code", error: systemError("EACCES"), trouble: undefined },
  { what: "SQLITE_BUSY", error: sqliteError(5), trouble: undefined },
  { what: "no error", error: "ENOSPC", trouble: undefined },
])("a disk that takes nothing more is told from other errors: $what", ({ error, trouble }) => {
  expect(diskTroubleOf(error)).toBe(trouble);
});

test("an error that is its own cause is looked at once", () => {
  const error = new Error("round");
  error.cause = error;
  expect(diskTroubleOf(error)).toBeUndefined();
});

test("what SQLite says of a database that cannot grow is a full disk", () => {
  using database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE t (a); PRAGMA max_page_count = 3");
  let trouble: unknown;
  try {
    database.exec("INSERT INTO t VALUES (zeroblob(100000))");
  } catch (error) {
    trouble = diskTroubleOf(error);
  }
  expect(trouble).toBe("full");
});

test.each(["full", "quota", "read-only"] as const)("the words name what lies there: %s", (trouble) => {
  const { reason, advice } = diskTroubleWords(trouble, "/data");
  expect(reason).toContain("/data");
  expect(advice).not.toBe("");
});
