import { describe, expect, test } from "vitest";
import { makeSessionId } from "../../src/domain/ids.ts";
import { isKnownCommand, runCommand, takesWords } from "../../src/telegram/commands.ts";
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
    deckLink: deckLink === undefined ? undefined : () => deckLink,
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

  test.each(["s-1", id.toUpperCase()])(
    "/start with %s, which is no session's id, leads nowhere and says so",
    (argument) => {
      const { reply, done } = run("start", { argument, switched: { type: "switched", name: "Wrong" } });
      expect(reply).toBe(replies.notSwitched.unknown);
      expect(done).toEqual([]);
    },
  );

  test.each(["../../etc/passwd", `${id} ${id}`, "please fix the parser"])(
    "/start with %s, which no link carries, greets and says that nobody got it",
    (argument) => {
      const { reply, done } = run("start", { argument });
      expect(reply).toBe(`${replies.start}\n\nThe agent did not get what stands behind /start.`);
      expect(done).toEqual([]);
    },
  );

  test.each([
    ["help", `${replies.help}\n\nThe agent did not get what stands behind /help.`],
    ["deck", `${replies.deckIsOff}\n\nThe agent did not get what stands behind /deck.`],
    [
      "usr",
      "There is no command /usr, so the agent did not get this message. To send it as it is, put a word in front of the slash. /help lists the commands.",
    ],
  ])("/%s with words says that the agent did not get them", (name, reply) => {
    expect(run(name, { argument: "is full", waiting: true, runs: true })).toEqual({
      reply,
      done: [],
      released: false,
    });
  });

  test.each(["clear", "new", "stop"])("/%s with words says nothing of them: they are asked", (name) => {
    expect(run(name, { argument: "fix it", runs: true })).toEqual(run(name, { runs: true }));
    expect(takesWords(name)).toBe(true);
  });

  test("whatever has a reply of its own is known", () => {
    const names = ["start", "help", "deck", "clear", "new", "stop", "usr", "", "constructor"];
    const known = names.filter((name) => run(name).reply !== replies.unknownCommand(name));
    expect(names.filter(isKnownCommand)).toEqual(known);
  });

  test("/deck gives the link, or says why there is none, and leaves everything as it is", () => {
    const deckLink = "http://127.0.0.1:3843/#key=abc";
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
