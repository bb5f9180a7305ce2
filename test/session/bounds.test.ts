import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Content, Message } from "../../src/domain/events.ts";
import { createScale, firstWithin, lastWithin, newestWithin } from "../../src/session/bounds.ts";
import { bytesOf, fitMessage, headAndTail } from "../../src/session/shorten.ts";

const message = (key: string, ...content: readonly Content[]): Message => ({
  key,
  role: "toolResult",
  at: 1,
  content,
});
const text = (length: number): Content => ({ type: "text", text: "x".repeat(length) });

describe("the newest messages that fit", () => {
  test("are all of them where all do, and the very same list", () => {
    const all = [message("a", text(10)), message("b", text(10))];
    expect(newestWithin(all, 1_000)).toEqual({ messages: all, more: false });
    expect(newestWithin([], 1_000)).toEqual({ messages: [], more: false });
  });

  test("leave out the older ones, also a small one behind a large one", () => {
    const all = [message("a", text(10)), message("b", text(5_000)), message("c", text(10))];
    const newest = newestWithin(all, 1_000);
    expect([newest.messages.map(({ key }) => key), newest.more]).toEqual([["c"], true]);
  });

  test("are the newest alone, shortened, where that one is too large", () => {
    const all = [message("a"), message("b", { type: "text", text: `head${"x".repeat(100_000)}tail` })];
    const { messages, more } = newestWithin(all, 2_000);
    expect([messages.length, more, messages[0]?.shortened]).toEqual([1, true, true]);
    const [part] = messages[0]?.content ?? [];
    expect(part).toMatchObject({
      type: "text",
      text: expect.stringMatching(/^headx+\n\[… \d+ characters left out …\]\nx+tail$/),
    });
    expect(newestWithin(all.slice(1), 2_000).more).toBe(false);
  });

  test("are weighed once each", () => {
    let weighed = 0;
    const heavy: Message = {
      ...message("a"),
      get content() {
        weighed += 1;
        return [text(1)];
      },
    };
    const weigh = createScale();
    expect(weigh(heavy)).toBe(weigh(heavy));
    expect(weighed).toBe(1);
  });
});

const part = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .string({ unit: "binary", maxLength: 50 })
      .map((words): Content => ({ type: "text", text: words })),
  },
  fc.nat(30_000).map((length): Content => ({ type: "text", text: "😀\0".repeat(length) })),
  fc.nat(30_000).map((length): Content => ({ type: "thinking", text: "é".repeat(length) })),
  fc
    .nat(30_000)
    .map((length): Content => ({ type: "toolCall", id: "c", name: "write", args: "y".repeat(length) })),
  fc.constant<Content>({ type: "image", mimeType: "image/png", url: "/api/sessions/s/pictures/p.png" }),
);
const anyMessage = fc.array(part, { maxLength: 6 }).map((parts): Message => message("k", ...parts));

test("whatever was said: what fits is at the end, in order, and within its bytes", () => {
  fc.assert(
    fc.property(
      fc.array(anyMessage, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 4_096, max: 200_000 }),
      (all, bytes) => {
        const { messages, more } = newestWithin(all, bytes);
        expect(bytesOf(messages)).toBeLessThanOrEqual(bytes + 1);
        expect(messages.length).toBeGreaterThan(0);
        expect(more).toBe(messages.length < all.length);
        if (messages.length > 1) expect(messages).toEqual(all.slice(all.length - messages.length));
      },
    ),
    { numRuns: 60 },
  );
});

describe("a message that is too large", () => {
  test("keeps its begin and its end where it has thousands of parts", () => {
    const parts = Array.from({ length: 10_000 }, (_, n): Content => ({
      type: "text",
      text: `${n} ${"x".repeat(90)}`,
    }));
    const fitting = fitMessage(message("a", ...parts), 100_000);
    expect(bytesOf(fitting)).toBeLessThanOrEqual(100_000);
    expect(fitting.content.at(0)).toEqual(parts.at(0));
    expect(fitting.content.at(-1)).toEqual(parts.at(-1));
    expect(fitting.shortened).toBe(true);
  });

  test("of a person's is shortened no less", () => {
    const prompt: Message = { ...message("u", text(1_000_000)), role: "user" };
    expect(bytesOf(fitMessage(prompt, 100_000))).toBeLessThanOrEqual(100_000);
  });

  test("is not touched where it fits", () => {
    const small = message("a", text(100));
    expect(fitMessage(small, 1_000)).toBe(small);
    expect(headAndTail("x".repeat(1_010), 1_000)).toBe("x".repeat(1_010));
  });
});

test("of a list the first or the last that fit are kept", () => {
  const items = Array.from({ length: 100 }, (_, n) => ({ n }));
  expect(firstWithin(items, 10_000)).toBe(items);
  expect(lastWithin(items, 10_000)).toBe(items);
  expect(firstWithin(items, 35)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]);
  expect(lastWithin(items, 35)).toEqual([{ n: 97 }, { n: 98 }, { n: 99 }]);
});
