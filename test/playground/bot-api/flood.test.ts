import { describe, expect, test } from "vitest";
import { createFlood } from "../../../src/playground/bot-api/flood.ts";

const ADA = 7;
const GROUP = -100;

describe("the flood model", () => {
  test("a private chat takes twenty at once and then one a second", () => {
    const flood = createFlood(true);
    const at = (now: number): number | undefined => flood.admit({ method: "sendMessage", chatId: ADA, now });
    for (let call = 0; call < 20; call += 1) expect(at(0)).toBeUndefined();
    expect(at(1000)).toBeUndefined();
    expect(at(2000)).toBeUndefined();
    expect(at(2500)).toBe(3);
    expect(flood.restUntil(ADA)).toBe(5500);
  });

  test("a private chat takes sixty in any minute", () => {
    const flood = createFlood(true);
    const at = (now: number): number | undefined => flood.admit({ method: "sendMessage", chatId: ADA, now });
    for (let call = 0; call < 60; call += 1) expect(at(call * 900)).toBeUndefined();
    expect(at(59_999)).toBe(3);
    expect(at(63_000)).toBeUndefined();
  });

  test("edits and deletions count as sends; asking does not", () => {
    const flood = createFlood(true);
    const methods = [
      "sendMessage",
      "editMessageText",
      "deleteMessage",
      "getChat",
      "getFile",
      "answerCallbackQuery",
    ];
    for (let call = 0; call < 17; call += 1) flood.admit({ method: "sendMessage", chatId: ADA, now: 0 });
    expect(methods.map((method) => flood.admit({ method, chatId: ADA, now: 0 }))).toEqual(
      methods.map(() => undefined),
    );
    expect(flood.admit({ method: "editMessageText", chatId: ADA, now: 0 })).toBe(3);
  });

  test("a group takes twenty a minute", () => {
    const flood = createFlood(true);
    const answers = Array.from({ length: 21 }, (_, index) =>
      flood.admit({ method: "sendMessage", chatId: GROUP, now: index * 1000 }),
    );
    expect(answers.filter((answer) => answer !== undefined)).toEqual([3]);
    expect(flood.admit({ method: "sendMessage", chatId: GROUP, now: 62_000 })).toBeUndefined();
  });

  test("all chats together take thirty a second", () => {
    const flood = createFlood(true);
    const answers = Array.from({ length: 31 }, (_, index) =>
      flood.admit({ method: "sendMessage", chatId: index + 1, now: 0 }),
    );
    expect(answers.indexOf(3)).toBe(30);
  });

  test("a call inside a rest is a violation and makes the rest grow", () => {
    const flood = createFlood(true);
    const at = (now: number): number | undefined => flood.admit({ method: "sendMessage", chatId: ADA, now });
    for (let call = 0; call < 20; call += 1) at(0);
    expect([at(0), at(1000), at(2000)]).toEqual([3, 6, 12]);
    expect(flood.violations.map(({ at, restUntil }) => [at, restUntil])).toEqual([
      [1000, 3000],
      [2000, 7000],
    ]);
  });

  test("patience ends the rest, and a long calm makes the next offence a first one", () => {
    const flood = createFlood(true);
    const burst = (now: number): (number | undefined)[] =>
      Array.from({ length: 21 }, () => flood.admit({ method: "sendMessage", chatId: ADA, now }));
    expect(burst(0)[20]).toBe(3);
    expect(burst(61_000)[20]).toBe(6);
    expect(burst(200_000)[20]).toBe(3);
    expect(flood.violations).toEqual([]);
  });

  test("chat actions have a budget of their own: twenty in five seconds", () => {
    const flood = createFlood(true);
    const act = (now: number): number | undefined =>
      flood.admit({ method: "sendChatAction", chatId: ADA, now });
    expect(Array.from({ length: 21 }, () => act(0)).indexOf(3)).toBe(20);
    expect(flood.admit({ method: "sendMessage", chatId: 8, now: 0 })).toBeUndefined();
  });

  test("switched off it refuses nothing, but still lists calls into a rest that was announced", () => {
    const flood = createFlood(false);
    flood.announce(ADA, 0, 10);
    expect(flood.admit({ method: "sendMessage", chatId: ADA, now: 9_999 })).toBeUndefined();
    expect(flood.admit({ method: "sendMessage", chatId: ADA, now: 10_000 })).toBeUndefined();
    expect(flood.violations).toEqual([{ method: "sendMessage", chatId: ADA, at: 9_999, restUntil: 10_000 }]);
  });
});
