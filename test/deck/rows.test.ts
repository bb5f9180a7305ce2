import { expect, test } from "vitest";
import type { Message } from "../../src/domain/events.ts";
import type { ToolState } from "../../src/domain/transcript.ts";
import { emptyTranscript } from "../../src/domain/transcript.ts";
import { groupsOf, rowsOf } from "../../src/deck/rows.ts";
import type { Conversation } from "../../src/deck/state.ts";
import { T0 } from "../domain/events.ts";
import { answered, result, snapshotOf, user } from "./scenes.ts";

function conversation(
  messages: readonly Message[],
  tools: readonly ToolState[] = [],
  older: readonly Message[] = [],
): Conversation {
  return {
    transcript: { ...emptyTranscript, messages, tools },
    older,
    loadingOlder: false,
    about: snapshotOf("s"),
    questions: [],
    durations: {},
  };
}

const call = { type: "toolCall" as const, id: "t", name: "bash", args: '{"command":"ls"}' };
const running: ToolState = {
  id: "t",
  name: "bash",
  summary: "ls",
  startedAt: T0,
  output: "so far",
  isError: false,
};

test("each message is one row, and a tool's result is shown with its call", () => {
  const rows = rowsOf(
    conversation([user("u", "Hi"), answered("a", "I look.", call), result("t", "bash", "a.txt")]),
  );
  expect(rows.map(({ key }) => key)).toEqual(["u", "a"]);
  expect(rows[1]?.parts[1]).toMatchObject({ type: "tool", state: "done", output: "a.txt" });
});

test.each([
  ["called", [], undefined],
  ["running", [running], undefined],
  ["done", [{ ...running, endedAt: T0 + 500 }], 500],
  ["failed", [{ ...running, endedAt: T0 + 500, isError: true }], 500],
] as const)("a tool that is %s", (state, tools, took) => {
  const [row] = rowsOf(conversation([answered("a", call)], tools));
  expect(row?.parts[0]).toMatchObject({ type: "tool", state, ...(took === undefined ? {} : { took }) });
});

const afterStop = <Said extends Message>(message: Said): Said => ({ ...message, afterStop: true });

test.each<[string, readonly ToolState[], readonly Message[]]>([
  ["for who was there", [{ ...running, endedAt: T0 + 500, cutOff: true }], []],
  ["with what it said then, for who comes later", [], [afterStop(result("t", "bash", "Aborted", true))]],
])(
  "a tool that its turn's interruption cut off is stopped, and has neither failed nor ended: %s",
  (_, tools, results) => {
    const [row] = rowsOf(conversation([answered("a", call), ...results], tools));
    expect(row?.parts[0]).toMatchObject({ type: "tool", state: "stopped" });
  },
);

test("what an agent did after it was told to stop is one group, and no part of the answer", () => {
  const rows = rowsOf(
    conversation([
      user("u", "Hi"),
      answered("a", "Half"),
      afterStop(answered("b", " of it.", call)),
      afterStop(result("t", "bash", "gone")),
      afterStop(answered("c", "Done.")),
      user("v", "Stop that"),
      answered("d", "Yes."),
    ]),
  );
  expect(
    groupsOf(rows).map((group) => ("row" in group ? group.key : group.afterStop.map(({ key }) => key))),
  ).toEqual(["u", "a", ["b", "c"], "v", "d"]);
  // It did run to its end then.
  expect(rows[2]?.parts[1]).toMatchObject({ type: "tool", state: "done", output: "gone" });
});

test("a result whose call was cut off with older messages is shown by itself, until they are fetched", () => {
  const results = [result("t", "bash", "a.txt", true)];
  const [alone] = rowsOf(conversation(results));
  expect(alone?.parts).toMatchObject([{ type: "tool", name: "bash", state: "failed", output: "a.txt" }]);
  expect(rowsOf(conversation(results, [], [answered("a", call)])).map(({ key }) => key)).toEqual(["a"]);
});

test("rows that did not change are the very same, so that they are not drawn again", () => {
  const messages = [user("u", "Hi"), answered("a", call)];
  const first = rowsOf(conversation(messages, [running]));
  const same = rowsOf(conversation(messages, [running]), first);
  const grown = rowsOf(conversation(messages, [{ ...running, output: "so far and on" }]), same);
  expect(same.map((row, index) => row === first[index])).toEqual([true, true]);
  expect(grown.map((row, index) => row === first[index])).toEqual([true, false]);
});

test("messages of roles that nobody knows are not shown", () => {
  const strange = JSON.parse(JSON.stringify({ ...user("x", "?"), role: "custom" })) as Message;
  expect(rowsOf(conversation([strange, user("u", "Hi")])).map(({ key }) => key)).toEqual(["u"]);
});

test("a result that was shortened says in which message all of it is", () => {
  const short = { ...result("t", "bash", "head and tail"), shortened: true as const };
  const [row] = rowsOf(conversation([answered("a", "", call), short])).filter(({ key }) => key === "a");
  expect(row?.parts.at(-1)).toMatchObject({ type: "tool", shortenedFrom: short.key });
  const [whole] = rowsOf(conversation([answered("a", "", call), result("t", "bash", "all")]));
  expect(whole?.parts.at(-1)).not.toHaveProperty("shortenedFrom");
});
