import { describe, expect, test } from "vitest";
import { makeSessionId } from "../../src/domain/ids.ts";
import { runCommand } from "../../src/telegram/commands.ts";
import type { Switched } from "../../src/telegram/conversations.ts";
import type { WaitingPart } from "../../src/telegram/draft.ts";
import { replies } from "../../src/telegram/words.ts";
import { createHandAttachment } from "./chat-rig.ts";

interface Asked {
  readonly waiting?: boolean;
  readonly runs?: boolean;
  readonly queued?: number;
  readonly deckLink?: string;
  readonly argument?: string;
  readonly switched?: Switched;
}

function run(name: string, asked: Asked = {}) {
  const { waiting = false, runs = false, queued = 0, deckLink, argument } = asked;
  const { switched = { type: "unknown" } } = asked;
  const done: string[] = [];
  const attachment = createHandAttachment({ fileId: "f", name: "a.png" });
  const parts: readonly WaitingPart[] = waiting
    ? [
        { sources: [1], messageId: 1, text: "hi" },
        { sources: [2], messageId: 2, text: "", attachment },
      ]
    : [];
  const command = argument === undefined ? { name } : { name, argument };
  const reply = runCommand(command, {
    discardBurst() {
      done.push("discard");
      return parts;
    },
    waiting: queued,
    stopTurn() {
      done.push("stop");
      return runs;
    },
    clearSession: () => void done.push("clear"),
    switchSession(id) {
      done.push(`switch ${id}`);
      return switched;
    },
    deckLink,
  });
  return { reply, done, released: attachment.released };
}

describe("a command", () => {
  test.each<[string, string]>([
    ["start", replies.start],
    ["help", replies.help],
    ["whatever", replies.unknownCommand("whatever")],
    ["", replies.unknownCommand("")],
    ["constructor", replies.unknownCommand("constructor")],
  ])("/%s leaves a waiting burst and a running turn as they are", (name, reply) => {
    expect(run(name, { waiting: true, runs: true })).toEqual({ reply, done: [], released: false });
  });

  const id = makeSessionId();

  test.each<[Switched, string]>([
    [{ type: "switched", name: "The plan" }, "This chat speaks with “The plan” now."],
    [{ type: "switched", name: "" }, "This chat speaks with a session without a name now."],
    [{ type: "here" }, "This chat speaks with that session already."],
    [{ type: "unknown" }, "There is no session behind that link any more. This chat goes on as it was."],
    [
      { type: "taken" },
      "Another chat speaks with that session. Send /clear there first, then open the link again.",
    ],
    [{ type: "busy" }, "An answer is being written here. Wait for it, or /stop it first."],
  ])("/start with a session's id leads there, with the burst that waits: %o", (switched, reply) => {
    expect(run("start", { argument: id, switched, waiting: true, runs: true })).toEqual({
      reply,
      done: [`switch ${id}`],
      released: false,
    });
  });

  test.each(["s-1", "../../etc/passwd", id.toUpperCase(), `${id} ${id}`])(
    "/start with %s, which is no session's id, leads nowhere and says so",
    (argument) => {
      const { reply, done } = run("start", { argument, switched: { type: "switched", name: "Wrong" } });
      expect(reply).toBe(replies.notSwitched.unknown);
      expect(done).toEqual([]);
    },
  );

  test("/deck gives the link, or says why there is none, and leaves everything as it is", () => {
    const deckLink = "http://127.0.0.1:3843/?key=abc";
    const { reply, done } = run("deck", { waiting: true, runs: true, deckLink });
    expect(reply).toContain(`${deckLink}\n`);
    expect(reply).toMatch(/on evie's machine.*tunnel/);
    expect(done).toEqual([]);
    expect(run("deck").reply).toContain("EVIE_HTTP_PORT");
  });

  test.each(["clear", "new"])(
    "/%s discards the burst with its downloads, and only then begins a session",
    (name) => {
      expect(run(name, { waiting: true, runs: true })).toEqual({
        reply: replies.cleared,
        done: ["discard", "clear"],
        released: true,
      });
    },
  );

  test.each([
    ["stop", 1, `${replies.stopped} A prompt that waited was dropped, too.`],
    ["stop", 3, `${replies.stopped} 3 prompts that waited were dropped, too.`],
    ["clear", 2, `${replies.cleared} 2 prompts that waited were dropped, too.`],
  ])("/%s says how many prompts that waited went with it: %d", (name, queued, reply) => {
    expect(run(name, { runs: true, queued }).reply).toBe(reply);
  });

  test.each<[string, { waiting: boolean; runs: boolean }, string]>([
    ["a turn that runs", { waiting: false, runs: true }, replies.stopped],
    ["a burst that waits", { waiting: true, runs: false }, replies.stopped],
    ["both", { waiting: true, runs: true }, replies.stopped],
    ["nothing", { waiting: false, runs: false }, replies.nothingRuns],
  ])("/stop ends %s, and says so", (_, state, reply) => {
    expect(run("stop", state)).toEqual({ reply, done: ["discard", "stop"], released: state.waiting });
  });
});
