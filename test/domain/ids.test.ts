import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ChatPlace,
  makeChatKey,
  makeSessionId,
  makeTurnId,
  parseChatKey,
  parseSessionId,
} from "../../src/domain/ids.ts";

describe("a session id", () => {
  test("is different each time, safe as a file name, and read back as itself", () => {
    const [one, other] = [makeSessionId(), makeSessionId()];
    expect(one).not.toBe(other);
    expect(one).toMatch(/^[a-z0-9][a-z0-9-]*[a-z0-9]$/);
    expect(parseSessionId(one)).toBe(one);
  });

  test.each([
    "",
    "s-",
    "s-1",
    "../../etc/passwd",
    `${makeSessionId()}\n`,
    ` ${makeSessionId()}`,
    makeTurnId(),
  ])("is not %j", (text) => {
    expect(parseSessionId(text)).toBeUndefined();
  });
});

test("a turn id is different each time", () => {
  expect(makeTurnId()).not.toBe(makeTurnId());
});

describe("a chat key", () => {
  test.each<[ChatPlace, string]>([
    [{ chatId: 7 }, "7"],
    [{ chatId: -100_123 }, "-100123"],
    [{ chatId: -100_123, threadId: 5 }, "-100123:5"],
    [{ chatId: 7, threadId: 0 }, "7:0"],
  ])("of %o is %s", (place, key) => {
    expect(makeChatKey(place)).toBe(key);
  });

  test("is read back as the place that it was made of", () => {
    const place = fc.record(
      { chatId: fc.maxSafeInteger(), threadId: fc.nat() },
      { requiredKeys: ["chatId"] },
    );
    fc.assert(
      fc.property(place, ({ chatId, threadId }) => {
        const made: ChatPlace = threadId === undefined ? { chatId } : { chatId, threadId };
        expect(parseChatKey(makeChatKey(made))).toEqual({ ...made, chatId: made.chatId + 0 });
      }),
    );
  });

  test.each([
    "",
    "x",
    "7:",
    ":5",
    "7:-5",
    "7:5:3",
    "+7",
    "07",
    "-0",
    "7:05",
    "7.5",
    "1e3",
    " 7",
    "7\n",
    "99999999999999999999",
  ])("is not %j", (text) => {
    expect(parseChatKey(text)).toBeUndefined();
  });
});
