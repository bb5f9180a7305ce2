import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Strangers } from "../../../src/telegram/strangers/strangers.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import { createMemoryLog } from "../../fakes/memory-log.ts";
import { ada, messageUpdate, rawUpdate, strangerUpdate } from "../updates.ts";

const HOUR = 3_600_000;

function setUp() {
  const clock = createFakeClock();
  const log = createMemoryLog();
  const greeted: number[] = [];
  const closed = new AbortController();
  const strangers = new Strangers({
    isAllowed: (userId) => userId === ada.id,
    greet: (_place, userId) => greeted.push(userId),
    clock,
    log,
    closed: closed.signal,
  });
  return { clock, log, greeted, strangers, closed };
}

/** A message of another stranger. */
function from(id: number, fields: object = {}) {
  return strangerUpdate({ from: { id, is_bot: false }, chat: { id, type: "private" }, ...fields });
}

const group = { id: -100, type: "supergroup" };
const pressedBy = (user: object, chat: object) =>
  rawUpdate({ callback_query: { id: "1", from: user, data: "x", message: { chat, message_id: 3 } } });

describe("what comes from people and places that are not allowed", () => {
  test.each([
    ["a stranger's message", strangerUpdate()],
    ["a stranger's edit", rawUpdate({ edited_message: strangerUpdate().message })],
    ["a stranger's press", pressedBy({ id: 66 }, { id: 66, type: "private" })],
    ["a friend's message in a group", messageUpdate({ text: "hi", chat: group })],
    ["a friend's press in a group", pressedBy(ada, group)],
    ["a channel's message", messageUpdate({ text: "hi", sender_chat: { id: -1 } })],
    ["a bot's message", messageUpdate({ text: "hi", from: { id: 7, is_bot: true } })],
    ["being added to a group", rawUpdate({ my_chat_member: { chat: group, from: ada } })],
    ["something unknown", rawUpdate({ surprise: {} })],
    ["nothing", rawUpdate({})],
  ])("does not come through: %s", (_, update) => {
    expect(setUp().strangers.turnAway([update])).toEqual([]);
  });

  test("leaves what friends wrote, in order, out of the middle of it", () => {
    const { strangers } = setUp();
    const [one, two] = [
      messageUpdate({ text: "one" }),
      rawUpdate({ edited_message: { ...messageUpdate({}).message } }),
    ];
    const three = pressedBy(ada, { id: 7, type: "private" });
    expect(strangers.turnAway([from(1), one, from(2), two, from(3), three])).toEqual([one, two, three]);
  });

  test("never throws, whatever came", () => {
    fc.assert(
      fc.property(
        fc.array(fc.object({ key: fc.constantFrom("message", "from", "chat", "id", "callback_query") })),
        (fields) => {
          expect(setUp().strangers.turnAway(fields.map(rawUpdate))).toEqual([]);
        },
      ),
    );
  });
});

describe("a stranger", () => {
  test("is greeted once an hour, for a message, and not for an edit or a press", async () => {
    const { strangers, greeted, clock } = setUp();
    strangers.turnAway([rawUpdate({ edited_message: strangerUpdate().message })]);
    strangers.turnAway([pressedBy({ id: 66 }, { id: 66, type: "private" })]);
    expect(greeted).toEqual([]);
    strangers.turnAway([strangerUpdate(), strangerUpdate()]);
    await clock.advance(HOUR - 1_000);
    strangers.turnAway([strangerUpdate()]);
    expect(greeted).toEqual([66]);
    await clock.advance(2_000);
    strangers.turnAway([strangerUpdate()]);
    expect(greeted).toEqual([66, 66]);
  });

  test("is forgotten for a new one where there are very many", () => {
    const { strangers, greeted } = setUp();
    strangers.turnAway(Array.from({ length: 5_001 }, (_, index) => from(1_000 + index)));
    strangers.turnAway([from(6_000), from(1_000)]);
    expect(greeted.slice(5_000)).toEqual([6_000, 1_000]);
  });
});

describe("the log", () => {
  test("names the first stranger at once, and what comes within a minute in one line, without its words", async () => {
    const { strangers, log, clock, closed } = setUp();
    strangers.turnAway([strangerUpdate({ text: "secret words" })]);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toMatchObject({ level: "warn", fields: { users: [{ user: 66, messages: 1 }] } });
    for (let id = 1_001; id <= 3_000; id += 1)
      strangers.turnAway([from(id), from(id), messageUpdate({ chat: group })]);
    expect(log.lines).toHaveLength(1);
    await clock.advance(61_000);
    expect(log.lines).toHaveLength(2);
    expect(log.lines[1]?.fields).toMatchObject({ messages: 4_000, strangers: 2_000, others: 2_000 });
    expect(JSON.stringify(log.lines)).not.toContain("secret words");
    await clock.advance(600_000);
    expect(log.lines).toHaveLength(2);
    closed.abort();
    expect(clock.sleepers).toBe(0);
  });

  test("names a stranger who comes after a quiet time at once", async () => {
    const { strangers, log, clock } = setUp();
    strangers.turnAway([from(1)]);
    await clock.advance(120_000);
    strangers.turnAway([from(2)]);
    expect(log.lines.map(({ fields }) => fields)).toMatchObject([
      { users: [{ user: 1 }] },
      { users: [{ user: 2 }] },
    ]);
  });
});
