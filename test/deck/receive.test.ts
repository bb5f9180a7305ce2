import { describe, expect, test } from "vitest";
import type { ServerFrame, WireEvent } from "../../src/domain/wire.ts";
import { receive } from "../../src/deck/receive.ts";
import { emptyState, phaseOf, type DeckState } from "../../src/deck/state.ts";
import { createStore } from "../../src/page-kit/store.ts";
import { isUnread } from "../../src/deck/unread.ts";
import { begin, end, numbered, opens, says, T0, thinks, toolEnds, toolStarts } from "../domain/events.ts";
import { attachFrames, info, longText, parked, QUESTION, scene, user } from "./scenes.ts";

function after(frames: readonly ServerFrame[], state: DeckState = emptyState): DeckState {
  return frames.reduce((now, frame) => receive(now, frame, T0), state);
}

function live(event: WireEvent, sessionId = "s"): ServerFrame {
  return { type: "session_event", sessionId, event };
}

function textOf(state: DeckState, sessionId = "s"): string {
  return (state.conversations[sessionId]?.transcript.messages ?? [])
    .flatMap(({ content }) => content.map((part) => ("text" in part ? part.text : "")))
    .join("|");
}

const STEP = numbered([begin, { type: "turn_start" }, opens("a"), says("a", "Hello"), says("a", ", world")]);

describe("attaching", () => {
  test("is one change: what came of it before its last frame is not shown", () => {
    const [subscribed, question, batch, ...more] = attachFrames(parked("s", "Long ago."));
    expect(more).toEqual([]);
    const half = after([subscribed, question].filter((frame) => frame !== undefined));
    expect(half.conversations).toEqual({});
    const whole = after(batch === undefined ? [] : [batch], half);
    expect(textOf(whole)).toBe("Where to?|Long ago.|");
    expect(whole.conversations["s"]?.questions).toEqual([QUESTION]);
    expect(whole.attaching).toEqual({});
  });

  test("to a session at rest is done with its first frame", () => {
    const state = after(attachFrames(scene("s", { snapshot: { messages: [user("u", "Hi")] } })));
    expect(textOf(state)).toBe("Hi");
  });

  test("to a session that waits between two steps waits for the question", () => {
    const frames = attachFrames(scene("s", { snapshot: { state: "waiting" }, questions: [QUESTION] }));
    expect(after(frames.slice(0, 1)).conversations).toEqual({});
    expect(after(frames).conversations["s"]?.questions).toEqual([QUESTION]);
  });

  test("goes on without a question that never comes", () => {
    const frames = attachFrames(scene("s", { snapshot: { state: "waiting" } }));
    const state = after([...frames, { type: "heartbeat", at: T0 }]);
    expect(state.conversations["s"]).toBeDefined();
  });

  test("a live event ends the wait for a question", () => {
    const frames = attachFrames(scene("s", { snapshot: { state: "waiting" } }));
    const [first] = numbered([{ type: "message_start", key: "u", message: user("u", "Hi") }]);
    expect(textOf(after(first === undefined ? [] : [...frames, live(first)]))).toBe("Hi");
  });

  test("a question that closes before the attach is complete is not shown", () => {
    const [subscribed, question, batch] = attachFrames(parked("s", "x"));
    const closed: ServerFrame = {
      type: "question_closed",
      sessionId: "s",
      questionId: QUESTION.id,
      reason: "expired",
    };
    const state = after([subscribed, question, closed, batch].filter((frame) => frame !== undefined));
    expect(state.conversations["s"]?.questions).toEqual([]);
  });

  test("again in the middle of a turn changes nothing that stands", () => {
    const frames = attachFrames(parked("s", longText(2_000)));
    const once = after(frames);
    const twice = after(frames, once);
    expect(twice.conversations).toEqual(once.conversations);
  });

  test("keeps older messages that were fetched, while they join", () => {
    const messages = [user("m-3", "three"), user("m-4", "four")];
    const first = after(attachFrames(scene("s", { snapshot: { messages, before: "m-3" } })));
    const known = first.conversations["s"];
    if (known === undefined) throw new Error("It is not attached.");
    const { before: _before, ...rest } = known;
    const grown = {
      ...first,
      conversations: { s: { ...rest, older: [user("m-1", "one"), user("m-2", "two")] } },
    };
    const later = [user("m-4", "four"), user("m-5", "five")];
    const joined = after(attachFrames(scene("s", { snapshot: { messages: later, before: "m-4" } })), grown);
    expect(joined.conversations["s"]?.older.map(({ key }) => key)).toEqual(["m-1", "m-2", "m-3"]);
    expect(joined.conversations["s"]?.before).toBeUndefined();
    const far = after(
      attachFrames(scene("s", { snapshot: { messages: [user("m-9", "nine")], before: "m-9" } })),
      grown,
    );
    expect(far.conversations["s"]?.older).toEqual([]);
    expect(far.conversations["s"]?.before).toBe("m-9");
  });
});

describe("events", () => {
  const attached = after(attachFrames(scene("s")));

  test("in a batch and one by one come to the same", () => {
    const batch = after([{ type: "session_events", sessionId: "s", events: STEP }], attached);
    const single = after(
      STEP.map((event) => live(event)),
      attached,
    );
    expect(batch).toEqual(single);
    expect(textOf(batch)).toBe("Hello, world");
  });

  test("a batch of 2,000 is told once", () => {
    const events = numbered([begin, opens("a"), ...Array.from({ length: 1_998 }, () => says("a", "word "))]);
    const store = createStore(attached);
    let told = 0;
    store.subscribe(() => (told += 1));
    store.update((state) => receive(state, { type: "session_events", sessionId: "s", events }, T0));
    expect(told).toBe(1);
    expect(textOf(store.state)).toHaveLength(1_998 * 5);
  });

  test("the same batch twice, and live events that it holds already, change nothing", () => {
    const frames: readonly ServerFrame[] = [{ type: "session_events", sessionId: "s", events: STEP }];
    const once = after(frames, attached);
    expect(after([...frames, ...STEP.map((event) => live(event))], once)).toBe(once);
  });

  test("of a kind that nobody knows count and change nothing else", () => {
    const strange = JSON.parse(`{ "seq": 1, "at": ${T0}, "type": "weather" }`) as WireEvent;
    const state = after([live(strange)], attached);
    expect(state.conversations["s"]?.transcript).toEqual({
      ...attached.conversations["s"]?.transcript,
      seq: 1,
    });
  });

  test("of a session that nobody watches are ignored, and so are unknown frames", () => {
    const strange = JSON.parse(`{ "type": "weather", "sessionId": "s" }`) as ServerFrame;
    expect(after([...STEP.map((event) => live(event, "other")), strange], attached)).toBe(attached);
  });

  test("tell how long each tool took, also when its turn is over", () => {
    const first = numbered([
      begin,
      toolStarts("t", "bash", "ls"),
      toolEnds("t"),
      end({ type: "done" }),
      begin,
    ]);
    const state = after([{ type: "session_events", sessionId: "s", events: first }], attached);
    expect(state.conversations["s"]?.transcript.tools).toEqual([]);
    expect(state.conversations["s"]?.durations).toEqual({ t: 1_000 });
    const again = after(attachFrames(scene("s")), state);
    expect(again.conversations["s"]?.durations).toEqual({ t: 1_000 });
  });
});

describe("a session", () => {
  const attached = after(attachFrames(scene("s")));
  const phase = (state: DeckState): string => {
    const known = state.conversations["s"];
    return known === undefined ? "unknown" : phaseOf(known);
  };

  test("is running, waits, and is idle or failed as its events say", () => {
    const running = after([live({ ...begin, seq: 1, at: T0 })], attached);
    const asked = after([{ type: "question", sessionId: "s", question: QUESTION }], running);
    const closed: ServerFrame = {
      type: "question_closed",
      sessionId: "s",
      questionId: QUESTION.id,
      reason: "answered",
    };
    const done = after([closed, live({ ...end({ type: "done" }), seq: 2, at: T0 })], asked);
    const failed = after(
      [closed, live({ ...end({ type: "failed", message: "No." }), seq: 2, at: T0 })],
      asked,
    );
    expect([attached, running, asked, done, failed].map(phase)).toEqual([
      "idle",
      "running",
      "waiting",
      "idle",
      "failed",
    ]);
  });

  test("takes a new name, usage and queue while it is watched", () => {
    const change = { name: "Other", queue: [{ requestId: "r", text: "later" }] };
    const state = after([{ type: "session_changed", sessionId: "s", change }], attached);
    expect(state.conversations["s"]?.about).toMatchObject(change);
  });

  test("that cannot be shown says why, and keeps quiet about it elsewhere", () => {
    const state = after([
      { type: "error", code: "unknown_session", message: "There is none.", sessionId: "x" },
    ]);
    expect(state.refused).toEqual({ x: "There is none." });
    expect(state.toast).toBeUndefined();
  });

  test("loses its questions when another process of evie answers", () => {
    const before = after([{ type: "hello", epoch: "1", version: "" }, ...attachFrames(parked("s", "x"))]);
    const same = after([{ type: "hello", epoch: "1", version: "" }], before);
    const other = after([{ type: "hello", epoch: "2", version: "" }], before);
    expect(same.conversations["s"]?.questions).toEqual([QUESTION]);
    expect(other.conversations["s"]?.questions).toEqual([]);
  });
});

test("the bot's name is kept from one connection to the next, also to an evie that does not know it yet", () => {
  const known = after([{ type: "hello", epoch: "1", version: "", bot: "evie_bot" }]);
  expect(after([{ type: "hello", epoch: "2", version: "" }], known).bot).toBe("evie_bot");
  expect(after([{ type: "hello", epoch: "3", version: "", bot: "other_bot" }], known).bot).toBe("other_bot");
  expect(after([{ type: "hello", epoch: "1", version: "" }])).not.toHaveProperty("bot");
});

describe("unread", () => {
  test("what the first visit finds is not news; what happens elsewhere afterwards is", () => {
    const first = after([{ type: "sessions", sessions: [info("a"), info("b")] }], {
      ...emptyState,
      shown: "a",
    });
    const changed = [info("a", { updatedAt: T0 + 5 }), info("b", { updatedAt: T0 + 5 }), info("c")];
    const later = after([{ type: "sessions", sessions: changed }], first);
    const unread = (state: DeckState) =>
      state.sessions?.filter((each) => isUnread(state, each)).map(({ id }) => id);
    expect(unread(first)).toEqual([]);
    expect(unread(later)).toEqual(["b", "c"]);
  });
});

test("pieces of thinking and text find their place, whichever comes first", () => {
  const events = numbered([begin, opens("a"), says("a", "Said.", 1), thinks("a", "Thought.", 0)]);
  const state = after([{ type: "session_events", sessionId: "s", events }], after(attachFrames(scene("s"))));
  expect(state.conversations["s"]?.transcript.messages[0]?.content).toEqual([
    { type: "thinking", text: "Thought." },
    { type: "text", text: "Said." },
  ]);
});
