import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeSessionId, type SessionId } from "../../src/domain/ids.ts";
import { applyEvent } from "../../src/domain/transcript.ts";
import { type ServerFrame, transcriptFrom } from "../../src/domain/wire.ts";
import { LARGEST_BACKLOG } from "../../src/http/backlog.ts";
import { HEARTBEAT, TOO_SLOW } from "../../src/http/hub.ts";
import { opens, says } from "../domain/events.ts";
import { png } from "../builders.ts";
import { toolSays } from "../session/step-events.ts";
import { ROOM_IN_SESSION } from "../../src/session/room.ts";
import { answers, createHttpRig, EPOCH, openBrowser } from "./rig.ts";

const question = { id: "q", kind: "confirm", title: "Sure?" } as const;

/** A session whose agent has said something in a step that still runs. */
async function running(rig: ReturnType<typeof createHttpRig>) {
  const session = rig.sessions.create({ face: "deck" });
  session.prompt(
    { ready: Promise.resolve({ text: "go", images: [], files: [] }), release: () => undefined },
    { face: "deck", mode: "queue", requestId: crypto.randomUUID(), text: "go" },
  );
  const agent = await rig.agent();
  for (const event of [
    { type: "turn_start" } as const,
    opens("a"),
    says("a", "one "),
    says("a", "two "),
    says("a", "three"),
  ])
    agent.emit(event);
  return { session, agent };
}

function textsOf(frames: readonly ServerFrame[]): readonly string[] {
  return frames.flatMap((frame) =>
    frame.type === "session_event" && frame.event.type === "message_update" && "delta" in frame.event
      ? [frame.event.delta.text]
      : [],
  );
}

describe("a browser that connects", () => {
  test("is told which evie this is and which sessions there are", () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck", name: "A plan" });
    const { frames } = openBrowser(rig.hub);
    expect(frames).toEqual([
      { type: "hello", epoch: EPOCH, version: "0.0.0" },
      { type: "sessions", sessions: [session.info()] },
    ]);
  });

  test("is given no half of a character and no NUL, and gives none", async () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck", name: "a\0\ud83d" });
    const browser = openBrowser(rig.hub);
    browser.says({ type: "subscribe", sessionId: session.id });
    browser.says({ type: "prompt", sessionId: session.id, text: "b\0\ude00", requestId: "r\0\ud800" });
    const agent = await rig.agent();
    for (const event of answers("a", "c\0\ud83d")) agent.emit(event);
    expect(browser.frames).toContainEqual({ type: "accepted", sessionId: session.id, requestId: "r\ufffd" });
    expect(agent.runs[0]?.prompt.text).toBe("b\ufffd");
    expect(browser.texts.join("\n")).toContain("c\ufffd");
    expect(browser.texts.join("\n")).not.toMatch(/\\u(?:d[89a-f]|0000)/);
  });

  test("is told the bot's name as soon as it is known", () => {
    const names = [undefined, "evie_bot"];
    using rig = createHttpRig({ bot: () => names.shift() });
    const hellos = [openBrowser(rig.hub), openBrowser(rig.hub)].map(({ frames }) => frames[0]);
    expect(hellos[0]).not.toHaveProperty("bot");
    expect(hellos[1]).toEqual({ type: "hello", epoch: EPOCH, version: "0.0.0", bot: "evie_bot" });
  });

  test("hears a heartbeat every five seconds for as long as it is there", async () => {
    using rig = createHttpRig();
    const browser = openBrowser(rig.hub);
    await rig.clock.advance(2 * HEARTBEAT);
    expect(browser.types()).toEqual(["hello", "sessions", "heartbeat", "heartbeat"]);
    browser.leave();
    await rig.clock.advance(2 * HEARTBEAT);
    expect(browser.types()).toHaveLength(4);
    expect(rig.clock.sleepers).toBe(0);
  });

  test("is told when the list of sessions is another one", () => {
    using rig = createHttpRig();
    const browser = openBrowser(rig.hub);
    browser.clear();
    rig.sessions.create({ face: "http", name: "New" });
    expect(browser.frames).toMatchObject([{ type: "sessions", sessions: [{ name: "New" }] }]);
  });

  test("gets an answer to its ping", () => {
    using rig = createHttpRig();
    const browser = openBrowser(rig.hub);
    browser.says({ type: "ping" });
    expect(browser.frames.at(-1)).toEqual({ type: "pong" });
  });
});

describe("subscribing", () => {
  test("gives the snapshot, the open questions oldest first, the running step in one frame, then what happens", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    for (const id of ["q1", "q2"]) agent.options.ask({ ...question, id });
    const browser = openBrowser(rig.hub);
    browser.clear();
    browser.says({ type: "subscribe", sessionId: session.id });
    agent.emit(says("a", " four"));
    expect(browser.types()).toEqual([
      "subscribed",
      "question",
      "question",
      "session_events",
      "session_event",
    ]);
    const [subscribed, first, second, batch, live] = browser.frames;
    expect([first, second]).toMatchObject([{ question: { id: "q1" } }, { question: { id: "q2" } }]);
    if (subscribed?.type !== "subscribed" || batch?.type !== "session_events")
      throw new Error("other frames");
    expect(subscribed.turnEvents).toBe(batch.events.length);
    expect(batch.events.length).toBe(3);
    const state = batch.events.reduce(applyEvent, transcriptFrom(subscribed.snapshot, subscribed.seq));
    expect(state.messages.at(-1)?.content).toEqual([{ type: "text", text: "one two three" }]);
    expect(live).toMatchObject({ event: { type: "message_update", delta: { text: " four" } } });
  });

  test("gives no frame of events when no step runs, and says so", () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    const browser = openBrowser(rig.hub);
    browser.clear();
    browser.says({ type: "subscribe", sessionId: session.id });
    expect(browser.frames).toMatchObject([{ type: "subscribed", turnEvents: 0, seq: 0 }]);
  });

  test("again redoes all of it, and each event still comes once", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    const browser = openBrowser(rig.hub);
    for (let n = 0; n < 3; n += 1) browser.says({ type: "subscribe", sessionId: session.id });
    expect(browser.types().filter((type) => type === "session_events")).toHaveLength(3);
    agent.emit(says("a", "!"));
    expect(textsOf(browser.frames)).toEqual(["!"]);
  });

  test("ends with unsubscribing, and with leaving", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    const [one, other] = [openBrowser(rig.hub), openBrowser(rig.hub)];
    for (const browser of [one, other]) browser.says({ type: "subscribe", sessionId: session.id });
    one.says({ type: "unsubscribe", sessionId: session.id });
    other.leave();
    agent.emit(says("a", "!"));
    expect([textsOf(one.frames), textsOf(other.frames)]).toEqual([[], []]);
  });

  test("changes nothing for others: each hears every piece, one frame each, and no longer than the piece", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    const early = openBrowser(rig.hub);
    early.says({ type: "subscribe", sessionId: session.id });
    early.texts.splice(0);
    early.clear();
    const pieces = Array.from({ length: 50 }, (_, n) => `p${n} `);
    for (const [n, piece] of pieces.entries()) {
      agent.emit(says("a", piece));
      if (n % 10 === 0) openBrowser(rig.hub).says({ type: "subscribe", sessionId: session.id });
    }
    expect(textsOf(early.frames)).toEqual(pieces);
    expect(Math.max(...early.texts.map((text) => text.length))).toBeLessThan(300);
  });

  test("to a session that there is not is answered with an error", () => {
    using rig = createHttpRig();
    const browser = openBrowser(rig.hub);
    browser.says({ type: "subscribe", sessionId: "../../etc/passwd" });
    expect(browser.frames.at(-1)).toMatchObject({
      type: "error",
      code: "no_session",
      sessionId: "../../etc/passwd",
    });
  });
});

describe("a browser that reads too slowly", () => {
  test("is closed when more waits for it than may, and hears nothing more; the others go on", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    const [slow, quick] = [openBrowser(rig.hub), openBrowser(rig.hub)];
    for (const browser of [slow, quick]) browser.says({ type: "subscribe", sessionId: session.id });
    slow.state.buffered = LARGEST_BACKLOG;
    agent.emit(says("a", "1"));
    expect(slow.state.closed).toBeUndefined();
    slow.state.buffered = LARGEST_BACKLOG + 10_000;
    for (const text of ["2", "3"]) agent.emit(says("a", text));
    expect(slow.state.closed).toMatchObject({ code: TOO_SLOW });
    expect(TOO_SLOW).toBe(1013);
    expect([textsOf(slow.frames), textsOf(quick.frames)]).toEqual([["1"], ["1", "2", "3"]]);
  });
});

describe("a browser on a slow line", () => {
  const large = "x".repeat(400_000);

  /** Sessions that have much to show. */
  function sessionsOf(rig: ReturnType<typeof createHttpRig>, count: number): readonly SessionId[] {
    return Array.from({ length: count }, (_, n) => {
      const id = makeSessionId();
      rig.memory.ledgers.sessions.add({ id, cwd: rig.workspace, face: "deck", createdAt: n });
      const content = [{ type: "text", text: large }] as const;
      rig.memory.ledgers.messages.save(id, { key: "m", role: "toolResult", at: 0, content });
      return id;
    });
  }

  const attached = (frames: readonly ServerFrame[]): readonly string[] =>
    frames.flatMap((frame) => (frame.type === "subscribed" ? [frame.sessionId] : []));

  test("is attached to one session after the other, each when the last one is on its way; the one that is looked at first", () => {
    using rig = createHttpRig();
    const ids = sessionsOf(rig, 5);
    const browser = openBrowser(rig.hub);
    browser.state.isStuck = true;
    for (const sessionId of ids) browser.says({ type: "subscribe", sessionId });
    expect(attached(browser.frames)).toEqual(ids.slice(0, 1));
    browser.says({ type: "subscribe", sessionId: ids[3], shown: true });
    browser.says({ type: "subscribe", sessionId: ids[2], shown: true });
    browser.says({ type: "unsubscribe", sessionId: ids[1] });
    browser.drain();
    expect(attached(browser.frames)).toEqual([ids[0], ids[2]]);
    for (let n = 0; n < 5; n += 1) browser.drain();
    expect(attached(browser.frames)).toEqual([ids[0], ids[2], ids[3], ids[4]]);
  });

  test("hears what is said in the session that it looks at between the attaches of others", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    const ids = sessionsOf(rig, 3);
    const browser = openBrowser(rig.hub);
    browser.state.isStuck = true;
    browser.says({ type: "subscribe", sessionId: session.id, shown: true });
    for (const sessionId of ids) browser.says({ type: "subscribe", sessionId });
    browser.clear();
    for (const text of ["1", "2", "3"]) {
      agent.emit(says("a", text));
      browser.drain();
    }
    expect(browser.types()).toEqual([
      "session_event",
      "subscribed",
      "session_event",
      "subscribed",
      "session_event",
    ]);
  });

  test("is told that a session is gone which was removed while it waited", async () => {
    using rig = createHttpRig();
    const [one, other] = sessionsOf(rig, 2);
    const browser = openBrowser(rig.hub);
    browser.state.isStuck = true;
    for (const sessionId of [one, other]) browser.says({ type: "subscribe", sessionId });
    if (other !== undefined) await rig.sessions.remove(other);
    browser.drain();
    expect(browser.frames.at(-1)).toMatchObject({ type: "error", code: "no_session", sessionId: other });
  });

  test("is not closed for what it was attached to, only for more than 8 MiB behind that", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    for (let n = 0; n < 20; n += 1) agent.emit(toolSays(`t${n}`, large));
    const browser = openBrowser(rig.hub);
    browser.state.isStuck = true;
    browser.says({ type: "subscribe", sessionId: session.id });
    const attach = browser.state.buffered;
    expect(attach).toBeGreaterThan(200_000);
    const size = browser.texts.length;
    agent.emit(toolSays("t", "y".repeat(50_000)));
    const frame = Buffer.byteLength(browser.texts[size] ?? "");
    for (let n = 1; n < Math.floor(LARGEST_BACKLOG / frame); n += 1)
      agent.emit(toolSays("t", "y".repeat(50_000)));
    expect(browser.state.buffered).toBeGreaterThan(LARGEST_BACKLOG);
    agent.emit(says("a", "!"));
    expect(browser.state.closed).toBeUndefined();
    for (let n = 0; n < 2; n += 1) agent.emit(toolSays("t", "y".repeat(50_000)));
    expect(browser.state.closed).toMatchObject({ code: TOO_SLOW });
  });

  test("hears an event once, and none too few, when it is attached while the agent speaks", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    const [busy] = sessionsOf(rig, 1);
    const browser = openBrowser(rig.hub);
    browser.state.isStuck = true;
    browser.says({ type: "subscribe", sessionId: busy });
    browser.says({ type: "subscribe", sessionId: session.id });
    for (const text of ["4", "5"]) agent.emit(says("a", text));
    browser.drain();
    for (const text of ["6", "7"]) agent.emit(says("a", text));
    browser.drain();
    agent.emit(says("a", "8"));
    const own = browser.frames.filter((frame) => "sessionId" in frame && frame.sessionId === session.id);
    const [subscribed] = own;
    if (subscribed?.type !== "subscribed") throw new Error("other frames");
    const events = own.flatMap((frame) =>
      frame.type === "session_events" ? frame.events : frame.type === "session_event" ? [frame.event] : [],
    );
    const state = events.reduce(applyEvent, transcriptFrom(subscribed.snapshot, subscribed.seq));
    expect(state.messages.at(-1)?.content).toEqual([{ type: "text", text: "one two three45678" }]);
    expect(textsOf(own)).toEqual(["6", "7", "8"]);
  });
});

describe("a prompt from a browser", () => {
  test("is accepted, runs once however often it is sent, and is seen by all who watch", async () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "telegram" });
    const [one, other] = [openBrowser(rig.hub), openBrowser(rig.hub)];
    for (const browser of [one, other]) {
      browser.says({ type: "subscribe", sessionId: session.id });
      browser.clear();
    }
    const prompt = { type: "prompt", sessionId: session.id, text: "hello", requestId: "r1" };
    one.says(prompt);
    one.says(prompt);
    const agent = await rig.agent();
    for (const event of answers("a", "Hi.")) agent.emit(event);
    agent.runs[0]?.end();
    await rig.clock.settle();
    expect(agent.runs.map(({ prompt }) => prompt.text)).toEqual(["hello"]);
    const accepted = one.frames.filter(({ type }) => type === "accepted");
    expect(accepted).toEqual(
      [1, 2].map(() => ({ type: "accepted", sessionId: session.id, requestId: "r1" })),
    );
    const seen = (frames: readonly ServerFrame[]) => frames.filter(({ type }) => type === "session_event");
    expect(seen(one.frames).length).toBeGreaterThan(5);
    expect(seen(other.frames)).toEqual(seen(one.frames));
    expect(other.types()).not.toContain("accepted");
  });

  test("brings pictures, which are told by their bytes and removed when the turn has ended", async () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    const browser = openBrowser(rig.hub);
    const data = Buffer.from(png(3)).toString("base64");
    browser.says({
      type: "prompt",
      sessionId: session.id,
      text: "",
      images: [{ mimeType: "image/jpeg", data }],
      requestId: "r1",
    });
    await expect.poll(async () => (await rig.agent()).runs.length).toBe(1);
    const [run] = (await rig.agent()).runs;
    expect(run?.prompt.images).toMatchObject([{ mimeType: "image/png" }]);
    const uploads = join(rig.folder, "uploads");
    expect(readdirSync(uploads)).toHaveLength(1);
    run?.end();
    await expect.poll(() => readdirSync(uploads)).toEqual([]);
  });

  test.each([
    ["nothing in it", { text: " " }, "empty_prompt"],
    [
      "a picture that is none",
      { text: "x", images: [{ mimeType: "image/png", data: "aGVsbG8=" }] },
      "bad_image",
    ],
    ["a mode that there is not", { text: "x", mode: "shout" }, "bad_request"],
    ["no text", {}, "bad_request"],
  ])("with %s is refused with its id, and nothing reaches the agent", async (_, fields, code) => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    const browser = openBrowser(rig.hub);
    browser.says({ type: "prompt", sessionId: session.id, requestId: "r1", ...fields });
    await rig.clock.settle();
    expect(browser.frames.at(-1)).toMatchObject({ type: "error", code });
    expect(rig.started).toHaveLength(0);
  });

  test("for which there is no room is refused with its id, so that the deck puts it back", async () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    const browser = openBrowser(rig.hub);
    for (let count = 0; count <= ROOM_IN_SESSION.prompts; count += 1)
      browser.says({ type: "prompt", sessionId: session.id, requestId: `r${count}`, text: "x" });
    expect(browser.frames.at(-1)).toMatchObject({
      type: "error",
      code: "too_many_prompts",
      requestId: `r${ROOM_IN_SESSION.prompts}`,
    });
  });

  test("under an id that was used for other words is refused with that id", async () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    const browser = openBrowser(rig.hub);
    for (const text of ["one", "two"])
      browser.says({ type: "prompt", sessionId: session.id, requestId: "r1", text });
    expect(browser.frames.slice(-2)).toMatchObject([
      { type: "accepted", requestId: "r1" },
      { type: "error", code: "request_id_used", sessionId: session.id, requestId: "r1" },
    ]);
    expect((await rig.agent()).runs.map(({ prompt }) => prompt.text)).toEqual(["one"]);
  });

  test("that is replaced before the agent had it is named in a frame, so that it can go back to where it was written", async () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    const browser = openBrowser(rig.hub);
    for (const [requestId, mode] of [["r1"], ["r2", "replace"], ["r3", "replace"]])
      browser.says({ type: "prompt", sessionId: session.id, requestId, text: requestId, mode });
    expect((await rig.agent()).runs.map(({ prompt }) => prompt.text)).toEqual(["r3"]);
    const errors = browser.frames.filter(({ type }) => type === "error");
    expect(errors).toEqual(
      ["r2", "r1"].map((requestId) => ({
        type: "error",
        code: "not_asked",
        message: expect.stringContaining("It is back where you wrote it"),
        sessionId: session.id,
        requestId,
      })),
    );
  });

  test("can be taken back while it waits, and not afterwards", async () => {
    using rig = createHttpRig();
    const { session } = await running(rig);
    const browser = openBrowser(rig.hub);
    browser.says({ type: "prompt", sessionId: session.id, text: "more", requestId: "r2" });
    browser.clear();
    browser.says({ type: "withdraw", sessionId: session.id, requestId: "r2" });
    expect(browser.frames).toEqual([]);
    browser.says({ type: "withdraw", sessionId: session.id, requestId: "r2" });
    expect(browser.frames).toMatchObject([{ type: "error", code: "not_waiting", requestId: "r2" }]);
  });

  test("that waits and the one that runs are ended by a stop", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    const browser = openBrowser(rig.hub);
    browser.says({ type: "subscribe", sessionId: session.id });
    browser.says({ type: "prompt", sessionId: session.id, text: "more", requestId: "r2" });
    browser.says({ type: "abort", sessionId: session.id });
    agent.runs[0]?.end({ type: "aborted" });
    await rig.clock.settle();
    expect(agent.runs).toHaveLength(1);
    expect(browser.frames.at(-1)).toMatchObject({ type: "session_changed", change: { state: "idle" } });
  });
});

describe("an answer from a browser", () => {
  test("closes the question everywhere, and the second one hears that it came too late", async () => {
    using rig = createHttpRig();
    const { session, agent } = await running(rig);
    agent.options.ask(question);
    const [one, other] = [openBrowser(rig.hub), openBrowser(rig.hub)];
    for (const browser of [one, other]) {
      browser.says({ type: "subscribe", sessionId: session.id });
      browser.clear();
    }
    one.says({ type: "answer", sessionId: session.id, questionId: "q", value: true });
    other.says({ type: "answer", sessionId: session.id, questionId: "q", value: false });
    expect(agent.answers).toEqual([["q", true]]);
    const closed = { type: "question_closed", sessionId: session.id, questionId: "q", reason: "answered" };
    expect(one.frames[0]).toEqual(closed);
    expect(other.frames[0]).toEqual(closed);
    expect(other.frames.at(-1)).toMatchObject({ type: "error", code: "already_answered" });
  });
});

describe("a frame", () => {
  test.each([
    "",
    "{",
    `{"type":"ping","more":${"[".repeat(500)}"\\ud800"${"]".repeat(500)}}`,
    "null",
    "[]",
    "42",
    '{"type":"dance"}',
    '{"type":"subscribe"}',
    '{"type":"subscribe","sessionId":7}',
  ])("that is %j is answered with an error that says what is wrong, and the next one is taken", (text) => {
    using rig = createHttpRig();
    const browser = openBrowser(rig.hub);
    browser.receive(text);
    expect(browser.frames.at(-1)).toMatchObject({ type: "error", message: expect.stringMatching(/./) });
    browser.says({ type: "ping" });
    expect(browser.frames.at(-1)).toEqual({ type: "pong" });
  });

  test("that meets a fault of evie's own is answered so, and logged", () => {
    using rig = createHttpRig();
    const session = rig.sessions.create({ face: "deck" });
    rig.memory.state.broken = true;
    const browser = openBrowser(rig.hub);
    browser.says({ type: "prompt", sessionId: session.id, text: "x", requestId: "r1" });
    expect(browser.frames.at(-1)).toMatchObject({
      type: "error",
      code: "internal",
      message: expect.stringMatching(/the disk is full/),
      requestId: "r1",
    });
    expect(rig.log.messages("error")).toHaveLength(1);
  });
});

test("whoever watches a session that its chat leaves is told which one the chat speaks with now", () => {
  using rig = createHttpRig();
  const [old, next] = [rig.sessions.create({ face: "telegram" }), rig.sessions.create({ face: "telegram" })];
  const browser = openBrowser(rig.hub);
  browser.says({ type: "subscribe", sessionId: old.id });
  old.replacedBy(next.id);
  expect(browser.frames.at(-1)).toEqual({ type: "session_replaced", sessionId: old.id, by: next.id });
});
