import { expect, test } from "vitest";
import { refusalFor } from "../../src/http/refusal.ts";

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

test.each([
  {
    error: systemError("ENOSPC"),
    code: "disk_full",
    says: /is full\. Make room on it\. Then send it again\.$/,
  },
  { error: systemError("EDQUOT"), code: "disk_quota", says: /raise the quota\. Then send it again\.$/ },
  { error: systemError("EROFS"), code: "disk_read_only", says: /mounted read-only\. Mount it for writing/ },
  {
    error: Object.assign(new Error("database or disk is full"), { errcode: 13 }),
    code: "disk_full",
    says: /is full/,
  },
])("what a disk does not take is refused with 507, by its kind: $code", ({ error, code, says }) => {
  const refusal = refusalFor(error);
  expect(refusal).toMatchObject({ status: 507, code });
  expect(refusal?.message).toMatch(says);
});

test("another fault is no refusal", () => {
  expect(refusalFor(systemError("EACCES"))).toBeUndefined();
});
