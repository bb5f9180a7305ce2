import { expect, test } from "vitest";
import { createBudget, GLOBAL_BUDGET } from "../../../src/telegram/budget.ts";
import type { Answer } from "../../../src/telegram/calls.ts";
import { Greeter } from "../../../src/telegram/strangers/greeter.ts";
import { replies } from "../../../src/telegram/words.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryLog } from "../../fakes/memory-log.ts";

function setUp(answer: (greeting: number) => Answer = () => ({ type: "done" })) {
  const clock = createFakeClock();
  const shared = createBudget(GLOBAL_BUDGET);
  const closed = new AbortController();
  const sent: { readonly at: number; readonly chatId: number; readonly text: string }[] = [];
  const greeter = new Greeter({
    async perform({ chatId }, call) {
      sent.push({ at: clock.now(), chatId, text: call.type === "send" ? call.content.text : call.type });
      await clock.sleep(20);
      return answer(sent.length);
    },
    shared,
    clock,
    log: createMemoryLog(),
    closed: closed.signal,
  });
  const greet = (...ids: readonly number[]): void => ids.forEach((id) => greeter.greet({ chatId: id }, id));
  return { clock, shared, closed, sent, greet };
}

const thousand = Array.from({ length: 1_000 }, (_, index) => index + 1);

test("tells a stranger at once that the bot is private, with the id to let them in by", async () => {
  const { greet, clock, sent } = setUp();
  greet(66);
  await clock.settle();
  expect(sent).toEqual([{ at: 0, chatId: 66, text: replies.stranger(66) }]);
});

test("greets about one a second of many strangers, the first ones first, and a hundred at the most", async () => {
  const { greet, clock, sent } = setUp();
  greet(...thousand);
  await clock.advance(10_000);
  expect(sent.length).toBeGreaterThan(10);
  expect(sent.length).toBeLessThanOrEqual(16);
  await clock.advance(600_000);
  expect(sent.map(({ chatId }) => chatId)).toEqual(thousand.slice(0, 100));
});

test("waits while other chats send more than half of what Telegram lets evie send, and goes on afterwards", async () => {
  const { greet, clock, sent, shared } = setUp();
  for (let call = 0; call < 20; call += 1) shared.spend(0);
  greet(66);
  for (let at = 0; at < 5_000; at += 50) {
    shared.spend(clock.now());
    await clock.advance(50);
  }
  expect(sent).toEqual([]);
  await clock.advance(3_000);
  expect(sent).toHaveLength(1);
});

test("counts greetings among what all chats send", async () => {
  const { greet, clock, shared } = setUp();
  const before = shared.spend(0);
  greet(66);
  await clock.settle();
  expect(shared.spend(0)).toBe(before - 2);
});

test("rests as long as Telegram asks for, and does not try a greeting again that failed", async () => {
  const { greet, clock, sent } = setUp((greeting) =>
    greeting === 1 ? { type: "flood", retryAfter: 30 } : { type: "blocked" },
  );
  greet(1, 2, 3);
  await clock.advance(60_000);
  expect(sent.map(({ chatId, at }) => [chatId, Math.round(at / 1_000)])).toEqual([
    [1, 0],
    [2, 30],
    [3, 30],
  ]);
});

test("says nothing any more once evie is closed", async () => {
  const { greet, clock, sent, closed } = setUp();
  greet(...thousand);
  await clock.settle();
  const before = sent.length;
  closed.abort();
  await clock.advance(60_000);
  expect(sent).toHaveLength(before);
  expect(clock.sleepers).toBe(0);
});
