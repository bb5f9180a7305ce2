import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeSessionId } from "../../src/domain/ids.ts";
import type { Session } from "../../src/domain/sessions.ts";
import { createTelegram } from "../../src/telegram/bot.ts";
import type { ClaimLedger } from "../../src/telegram/claim.ts";
import type { PolledTime } from "../../src/telegram/inbox.ts";
import { ConflictError, UnauthorizedError } from "../../src/telegram/poller.ts";
import { COMMANDS } from "../../src/telegram/words.ts";
import { ADA, startApiRig } from "./api-rig.ts";
import { createMemoryTurns, createMemoryUpdates } from "./memory-turns.ts";

/** A session whose agent never comes to anything. */
function idleSession(): Session {
  return {
    id: makeSessionId(),
    name: "",
    cwd: "/",
    isRemoved: false,
    attach: () => () => undefined,
    run: () => {
      throw new Error("nobody asked for a turn");
    },
    enqueue: () => {
      throw new Error("nobody asked for a turn");
    },
    hurry: () => false,
    amend: () => ({ type: "over" }),
    waiting: 0,
    waitingTurn: undefined,
    upcomingFace: undefined,
    turnSoFar: undefined,
    replacedBy: () => undefined,
    chatChanged: () => undefined,
    wake: () => undefined,
    stop: () => false,
    idle: () => Promise.resolve(),
    dismiss: () => Promise.resolve(),
  };
}

const nobody: ClaimLedger = {
  owner: () => undefined,
  own: () => undefined,
};

/** `polled`: when Telegram was polled by evies before this one. */
async function setUp({ polled }: { readonly polled?: PolledTime } = {}) {
  const updates = createMemoryUpdates();
  if (polled !== undefined) updates.state.polled = polled;
  const rig = await startApiRig();
  const filesFolder = await mkdtemp(join(tmpdir(), "evie-bot-"));
  onTestFinished(() => rm(filesFolder, { recursive: true, force: true }));
  const bot = createTelegram({
    token: rig.server.token,
    apiRoot: rig.server.root,
    allowedUsers: new Set([ADA.id]),
    owners: nobody,
    isClaimable: false,
    claimBoard: { show: () => undefined, withdraw: () => undefined },
    filesFolder,
    sessions: { create: idleSession, open: () => undefined },
    pointers: { sessionOf: () => undefined, point: () => undefined, chatOf: () => undefined, keys: () => [] },
    updates: updates.updates,
    turns: createMemoryTurns().turns,
    leftovers: () => Promise.resolve([]),
    clock: rig.clock,
    log: rig.log,
    random: () => 0.5,
  });
  const stopping = new AbortController();
  return { ...rig, bot, stopping, bodies: updates.bodies };
}

type Rig = Awaited<ReturnType<typeof setUp>>;

/** Connects, moving time on as long as that takes. */
async function connected(rig: Rig): Promise<unknown> {
  let result: unknown = "nothing yet";
  void rig.bot.connect(rig.stopping.signal).then(
    (identity) => (result = identity),
    (error: unknown) => (result = error),
  );
  await rig.advanceUntil(() => result !== "nothing yet");
  return result;
}

describe("connecting", () => {
  test("tells who the bot is, removes a webhook without dropping updates, and offers the commands", async () => {
    const rig = await setUp();
    await rig.ada.say("before");
    await rig.api.setWebhook("https://example.org/hook");
    expect(await connected(rig)).toEqual({ id: rig.server.bot.id, username: "evie_bot" });
    expect(rig.server.callsOf("deleteWebhook")[0]?.payload).toEqual({ drop_pending_updates: false });
    expect(rig.server.pendingUpdates).toHaveLength(1);
    await rig.called("setMyCommands");
    await rig.advanceUntil(() => rig.server.commands.length > 0);
    expect(rig.server.commands.map(({ command }) => command)).toEqual(COMMANDS.map(({ name }) => name));
  });

  test.each([
    { kind: "html", status: 502 },
    { kind: "error", code: 500, description: "Internal Server Error" },
    { kind: "reset", when: "before" },
    { kind: "hang", when: "before" },
  ] as const)("waits for a Telegram that is not well yet (%o), and says so", async (fault) => {
    const rig = await setUp();
    rig.server.faults.calls({ ...fault, times: 4 });
    expect(await connected(rig)).toMatchObject({ username: "evie_bot" });
    expect(rig.clock.now()).toBeGreaterThan(11_000);
    expect(rig.log.messages("warn")).toEqual(
      Array.from({ length: 4 }, () => "Asking Telegram who the bot is did not work. Trying again"),
    );
  });

  test("waits for a Telegram that cannot be reached", async () => {
    const rig = await setUp();
    const outage = await rig.server.faults.outage();
    const connecting = connected(rig);
    await rig.advanceUntil(() => rig.log.lines.length >= 3, 100);
    await outage.end();
    expect(await connecting).toMatchObject({ username: "evie_bot" });
  });

  test("keeps a rest that Telegram asks for", async () => {
    const rig = await setUp();
    rig.server.faults.calls({ kind: "flood", retryAfter: 40, times: 1 });
    await connected(rig);
    expect(rig.clock.now()).toBeGreaterThanOrEqual(40_000);
  });

  test.each([401, 404])("gives up at once when the token is wrong (%d)", async (code) => {
    const rig = await setUp();
    rig.server.faults.calls({ kind: "error", code, description: "Unauthorized" });
    expect(await connected(rig)).toBeInstanceOf(UnauthorizedError);
    expect(rig.server.calls).toHaveLength(1);
    await rig.bot.stop();
    expect(rig.clock.sleepers).toBe(0);
  });

  test.each(["hang", "html"] as const)(
    "ends without a word when evie is stopped meanwhile (%s)",
    async (kind) => {
      const rig = await setUp();
      rig.server.faults.calls(kind === "hang" ? { kind, when: "before" } : { kind, status: 502 });
      const connecting = rig.bot.connect(rig.stopping.signal);
      await rig.called("getMe");
      for (let round = 0; round < 20; round += 1) await rig.clock.settle();
      const said = rig.log.lines.length;
      rig.stopping.abort();
      await expect(connecting).resolves.toBeUndefined();
      expect(rig.log.lines).toHaveLength(said);
      await rig.bot.stop();
      await rig.bot.idle();
      rig.bot.close();
      expect(rig.clock.sleepers).toBe(0);
      expect(rig.server.callsOf("getUpdates")).toEqual([]);
    },
  );

  test("does not fail because the commands cannot be offered", async () => {
    const rig = await setUp();
    rig.server.faults.calls({ kind: "html", status: 502, methods: "setMyCommands" });
    expect(await connected(rig)).toMatchObject({ username: "evie_bot" });
    await rig.advanceUntil(() => rig.log.lines.length > 0, 0);
    expect(rig.log.messages("warn")).toEqual(["the menu of commands could not be set"]);
  });
});

describe("running", () => {
  test("answers commands, and a close ends whatever still hangs", async () => {
    const rig = await setUp();
    await connected(rig);
    const running = rig.bot.run();
    await rig.ada.say("/help");
    const reply = await rig.server.until(() => rig.server.chat(ADA.id).botMessages[0]);
    expect(reply.text).toContain("/clear");
    await rig.bot.idle();

    rig.server.faults.calls({ kind: "hang", when: "before", methods: "sendMessage" });
    await rig.ada.say("/help");
    await rig.called("sendMessage", 2);
    let stopped = false;
    void rig.bot.stop().then(() => (stopped = true));
    await rig.advanceUntil(() => stopped);
    await running;
    rig.bot.close();
    await rig.bot.idle();
    await rig.advanceUntil(() => rig.clock.sleepers === 0, 0);
    expect(rig.clock.sleepers).toBe(0);
  });

  test("answers its owner while 2,000 strangers write, stores nothing of them, and greets some", async () => {
    const rig = await setUp();
    await connected(rig);
    const strangers = Array.from({ length: 2_000 }, (_, index) =>
      rig.server.person({ id: 1_000 + index, first_name: "M" }),
    );
    for (const stranger of strangers) await stranger.say("words of a stranger");
    await rig.ada.say("/help");
    const running = rig.bot.run();
    const began = rig.clock.now();
    await rig.advanceUntil(() => rig.server.chat(ADA.id).botMessages.length > 0, 10);
    expect(rig.clock.now() - began).toBeLessThan(2_000);
    expect([...rig.bodies.values()].filter((body) => body.includes("stranger"))).toEqual([]);
    expect(JSON.stringify(rig.log.lines)).not.toContain("words of a stranger");
    await rig.advanceUntil(() => rig.clock.now() - began > 20_000, 100);
    const greeted = strangers.filter(({ user }) => rig.server.chat(user.id).botMessages.length > 0);
    expect(greeted.length).toBeGreaterThan(5);
    expect(greeted.length).toBeLessThan(40);
    let stopped = false;
    void rig.bot.stop().then(() => (stopped = true));
    await rig.advanceUntil(() => stopped);
    rig.bot.close();
    await running;
  });

  test("a burst that waits when evie is stopped is kept, and its chat is told", async () => {
    const rig = await setUp();
    await connected(rig);
    void rig.bot.run();
    await rig.ada.say("too late");
    await rig.called("getUpdates", 2);
    let stopped = false;
    void rig.bot.stop().then(() => (stopped = true));
    await rig.advanceUntil(() => stopped, 50);
    await rig.bot.idle();
    expect(rig.server.chat(ADA.id).botMessages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^evie is being stopped/),
    ]);
    expect(rig.server.pendingUpdates).toEqual([]);
  });

  const HOUR = 3_600_000;
  const NOW = Date.UTC(2026, 0, 1);

  test.each([
    ["by a bot that was never polled", undefined, "old"],
    ["while evie was not running", { since: NOW - 20 * HOUR, until: NOW - 8 * HOUR }, "old"],
    ["before evie ever ran, with a short break since", { since: NOW - HOUR, until: NOW - 1_000 }, "old"],
    ["while evie ran, with a short break since", { since: NOW - 20 * HOUR, until: NOW - 1_000 }, "asked"],
    ["while evie ran, with a long break since", { since: NOW - 20 * HOUR, until: NOW - 6.5 * HOUR }, "asked"],
  ])("of what waits, a message of seven hours ago, written %s, is %s", async (_, polled, fate) => {
    const rig = await setUp(polled === undefined ? {} : { polled });
    const date = Math.floor((rig.clock.date() - 7 * HOUR) / 1_000);
    rig.ada.sendService({ text: "from before", date });
    await connected(rig);
    void rig.bot.run();
    const said = () => rig.server.chat(ADA.id).botMessages.map(({ text }) => text);
    await rig.advanceUntil(() => said().length > 0, 50);
    // This bot's sessions take no prompt, which is told.
    expect(said()).toEqual([
      expect.stringMatching(
        fate === "asked"
          ? /^⚠️ This cannot be handed on/
          : /^While evie was not running you wrote.*\n• from before\n/,
      ),
    ]);
    rig.ada.sendService({ text: "late", date });
    await rig.advanceUntil(() => said().length > 1 || fate === "asked", 50);
    if (fate === "old") expect(said()[1]).toMatch(/^⚠️ This cannot be handed on/);
    let stopped = false;
    void rig.bot.stop().then(() => (stopped = true));
    await rig.advanceUntil(() => stopped, 50);
  });

  test("a conflict that does not end is told to whoever runs it", async () => {
    const rig = await setUp();
    await connected(rig);
    rig.server.faults.calls({ kind: "error", code: 409, description: "Conflict", methods: "getUpdates" });
    let ending: unknown;
    void rig.bot.run().catch((error: unknown) => (ending = error));
    await rig.advanceUntil(() => ending !== undefined);
    expect(ending).toBeInstanceOf(ConflictError);
  });
});
