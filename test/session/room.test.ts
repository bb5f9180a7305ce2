import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PromptDraft } from "../../src/domain/prompt.ts";
import { TooManyPromptsError } from "../../src/domain/sessions.ts";
import { checkRoom, loadOf, ROOM_IN_EVIE, ROOM_IN_SESSION } from "../../src/session/room.ts";
import { createSessions } from "../../src/session/sessions.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "./hand-agents.ts";
import { createMemoryLedgers } from "./memory-ledgers.ts";

const MEBIBYTE = 2 ** 20;
const nothing = { prompts: 0, bytes: 0 };

/** A prompt that came with a request, with a picture of so many bytes; `released` counts. */
function whole(text: string, bytes = 0, released: string[] = []): PromptDraft {
  const images = bytes === 0 ? [] : [{ mimeType: "image/png", data: "x".repeat(bytes) }];
  return {
    whole: { text, images },
    ready: Promise.resolve({ text, images: [], files: [] }),
    release: () => void released.push(text),
  };
}

/** A prompt of a chat, whose files lie on the disk. */
function written(text: string, source: number): PromptDraft {
  return {
    sources: [source],
    ready: Promise.resolve({ text, images: [], files: [] }),
    release: () => undefined,
  };
}

function setUp() {
  const root = mkdtempSync(join(tmpdir(), "evie-room-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ["workspace", "sessions"]) mkdirSync(join(root, name));
  const clock = createFakeClock();
  const { start, started } = createHandAgents();
  const memory = createMemoryLedgers();
  const sessions = createSessions({
    ledgers: memory.ledgers,
    folder: join(root, "sessions"),
    workspace: join(root, "workspace"),
    startAgent: start,
    clock,
    log: createMemoryLog(),
  });
  const begin = () => sessions.create({ face: "http" });
  const ask = (session: ReturnType<typeof begin>, requestId: string, draft = whole(requestId)) =>
    session.prompt(draft, { face: "http", mode: "queue", requestId, text: requestId });
  return { clock, started, memory, sessions, begin, ask };
}

describe("the room for prompts that wait", () => {
  test("is counted in prompts, and in bytes of those that are kept whole", () => {
    expect(loadOf([whole("abc", 10), whole("d"), written("from a chat", 1)])).toEqual({
      prompts: 3,
      bytes: 14,
    });
  });

  test.each([
    ["the last prompt of a session", whole("a"), { prompts: 99, bytes: 0 }, nothing, undefined],
    ["one more", whole("a"), { prompts: 100, bytes: 0 }, nothing, "session"],
    [
      "the last byte of a session",
      whole("a"),
      { prompts: 1, bytes: ROOM_IN_SESSION.bytes - 1 },
      nothing,
      undefined,
    ],
    ["one more byte", whole("ab"), { prompts: 1, bytes: ROOM_IN_SESSION.bytes - 1 }, nothing, "session"],
    ["the last prompt of evie", whole("a"), nothing, { prompts: 999, bytes: 0 }, undefined],
    ["one more in evie", whole("a"), nothing, { prompts: 1_000, bytes: 0 }, "evie"],
    ["one more byte in evie", whole("ab"), nothing, { prompts: 9, bytes: ROOM_IN_EVIE.bytes - 1 }, "evie"],
    [
      "what a chat wrote, of which only its session is asked",
      written("a", 1),
      nothing,
      ROOM_IN_EVIE,
      undefined,
    ],
    [
      "what a chat wrote where its session is full",
      written("a", 1),
      { prompts: 100, bytes: 0 },
      nothing,
      "session",
    ],
  ])("decides on %s", (_, draft, inSession, inEvie, where) => {
    const check = (): void => checkRoom(draft, inSession, () => inEvie);
    if (where === undefined) return expect(check).not.toThrow();
    expect(check).toThrow(TooManyPromptsError);
    expect(check).toThrow(
      expect.objectContaining({ where, message: expect.stringMatching(/Send this one/) }),
    );
  });

  test("of a session ends at a hundred; all that were taken run, and then there is room again", async () => {
    const { clock, started, begin, ask } = setUp();
    const session = begin();
    const names = Array.from({ length: ROOM_IN_SESSION.prompts }, (_, index) => `r${index}`);
    for (const name of names) ask(session, name);
    const released: string[] = [];
    expect(() => ask(session, "late", whole("late", 0, released))).toThrow(TooManyPromptsError);
    expect(released).toEqual(["late"]);
    expect(() => session.run(written("chat", 1), "telegram")).toThrow(TooManyPromptsError);
    expect(() => session.enqueue(written("chat", 1), "telegram")).toThrow(TooManyPromptsError);
    expect(ask(session, "r7").known).toBe(true);
    await clock.settle();
    started[0]?.getReady();
    await clock.settle();
    started[0]?.runs[0]?.accept();
    await clock.settle();
    names.push("in the place of the first");
    ask(session, "in the place of the first");
    for (const [index] of names.entries()) {
      await clock.settle();
      started[0]?.runs[index]?.end();
    }
    await clock.settle();
    expect(started[0]?.runs.map(({ prompt }) => prompt.text)).toEqual(names);
    expect(ask(session, "late").known).toBe(false);
  });

  test("of a session is not asked for what was taken before a restart", () => {
    const { sessions, begin, ask } = setUp();
    const session = begin();
    for (let index = 0; index < ROOM_IN_SESSION.prompts; index += 1) ask(session, `r${index}`);
    const turn = { id: ask(session, "r0").turnId, sessionId: session.id, face: "http" } as const;
    expect(() => sessions.resume(turn, [whole("left")])).not.toThrow();
  });

  test("of evie counts what waits in all sessions, and nothing that an agent has", async () => {
    const { clock, started, begin, ask } = setUp();
    const large = (name: string): PromptDraft => whole(name, 16 * MEBIBYTE);
    for (let index = 0; index < 8; index += 1) {
      const session = begin();
      // A few bytes below, since the words count as well.
      ask(session, `r${index}`, whole("a", 16 * MEBIBYTE - 100));
    }
    const last = begin();
    expect(() => ask(last, "late", large("late"))).toThrow(expect.objectContaining({ where: "evie" }));
    expect(() => last.run(written("chat", 1), "telegram")).not.toThrow();
    await clock.settle();
    started[0]?.getReady();
    await clock.settle();
    started[0]?.runs[0]?.accept();
    await clock.settle();
    expect(() => ask(last, "late", large("late"))).not.toThrow();
  });
});
