import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { QueuedPrompt, SessionInfo, Snapshot } from "../src/domain/wire.ts";
import type { Person } from "../src/playground/bot-api/person.ts";
import { NOW_WORD, replies } from "../src/telegram/words.ts";
import { png } from "./builders.ts";
import { type MortalEvie, prepareMortalEvie, type Standing } from "./kill-rig.ts";

/*
 * What becomes of prompts that were taken by HTTP and that no agent had when evie was ended: as a process that is
 * killed and started again, with the fake agent.
 */

const ADA = 4_711;

/** Milliseconds: each test starts evie twice, and a busy machine needs seconds for each. */
const LONG = 60_000;

/** An agent that is not ready before evie is killed. */
const SLOW_AGENT = { FAKE_AGENT: '{"readyMs":30000}' };

interface Answer {
  readonly turnId: string;
  readonly outcome: string;
  readonly text: string;
  readonly error?: string;
}

let evie: MortalEvie;
let ada: Person;

beforeEach(async () => {
  const mortal = await prepareMortalEvie([ADA], { http: true });
  onTestFinished(() => mortal[Symbol.asyncDispose]());
  evie = mortal;
  ada = evie.api.person({ id: ADA, first_name: "Ada" });
});

async function launched(env: Readonly<Record<string, string>> = {}): Promise<void> {
  evie.launch(env);
  await evie.polls();
}

const script = (run: object): string => `FAKE${JSON.stringify(run)}`;
const begin = async (): Promise<string> => (await evie.ask<SessionInfo>("POST", "/api/sessions", {})).id;
/** What was sent, by its request's id. */
const sent = new Map<string, object>();
const send = (session: string, requestId: string, text: string, more: object = {}): Promise<Answer> => {
  const body = { text, requestId, ...more };
  sent.set(requestId, body);
  return evie.ask("POST", `/api/sessions/${session}/prompt?wait=0`, body);
};
/** Sends it again, and waits for how it ended. */
const again = (session: string, requestId: string): Promise<Answer> =>
  evie.ask("POST", `/api/sessions/${session}/prompt`, sent.get(requestId));
const queueOf = async (session: string): Promise<readonly QueuedPrompt[]> =>
  (await evie.ask<Snapshot>("GET", `/api/sessions/${session}`)).queue;
const prompts = (): readonly string[] => evie.taken().map(({ text }) => text);
const texts = (): readonly string[] => evie.api.chat(ADA).botMessages.map(({ text }) => text);

async function standing(state: keyof Standing, count = 1): Promise<void> {
  await expect.poll(() => evie.standing()?.[state] ?? 0, { timeout: 15_000, interval: 20 }).toBe(count);
}

/** How many turns hold a prompt still. */
function keptPrompts(): number {
  const database = new DatabaseSync(join(evie.folder, "home", "evie.db"), { readOnly: true });
  const row = database.prepare("SELECT COUNT(*) AS n FROM turns WHERE prompt IS NOT NULL").get();
  database.close();
  return Number(row?.["n"]);
}

/** The pictures that wait in files. */
function uploads(): readonly string[] {
  const folder = join(evie.folder, "home", "uploads");
  return existsSync(folder) ? readdirSync(folder) : [];
}

const BUSY = `first ${script({ deltas: 400, overMs: 30_000 })}`;
const TWO = `second ${script({ text: "Two." })}`;
const THREE = `third ${script({ text: "Three." })}`;
const picture = { images: [{ mimeType: "image/png", data: Buffer.from(png(1)).toString("base64") }] };

describe("prompts that were taken by HTTP when evie was killed", { timeout: LONG }, () => {
  test("run after the start, in order and once each, pictures included; the one that an agent had is reported", async () => {
    await launched();
    const session = await begin();
    await send(session, "one", BUSY);
    await standing("accepted");
    const taken = [await send(session, "two", TWO, picture), await send(session, "three", THREE)];
    expect(await queueOf(session)).toEqual([
      { requestId: "two", text: TWO },
      { requestId: "three", text: THREE },
    ]);
    expect([keptPrompts(), uploads().length]).toEqual([2, 1]);
    await evie.kill();

    await launched({ FAKE_AGENT: '{"readyMs":1500}' });
    expect(await queueOf(session)).toEqual([{ requestId: "three", text: THREE }]);
    const [first, ...others] = await Promise.all(["one", "two", "three"].map((id) => again(session, id)));
    expect(first).toMatchObject({
      outcome: "failed",
      error: expect.stringContaining("while the agent worked"),
    });
    expect(others).toEqual([
      { turnId: taken[0]?.turnId, outcome: "done", text: "Two." },
      { turnId: taken[1]?.turnId, outcome: "done", text: "Three." },
    ]);
    expect(evie.taken()).toEqual([
      { text: BUSY, images: 0 },
      { text: TWO, images: 1 },
      { text: THREE, images: 0 },
    ]);
    await expect.poll(() => [keptPrompts(), uploads()], { timeout: 5_000 }).toEqual([0, []]);

    await evie.kill();
    await launched();
    expect((await again(session, "three")).text).toBe("Three.");
    await expect(send(session, "three", "something else")).rejects.toThrow("request_id_used");
    expect(evie.taken()).toHaveLength(3);
  });

  test("run when the agent had been given them and had not taken them, or was not there yet", async () => {
    await launched();
    const [handed, flushed] = [await begin(), await begin()];
    await send(handed, "handed", `handed ${script({ acceptMs: 5_000, text: "At last." })}`);
    await standing("handed");
    await evie.kill();
    await launched(SLOW_AGENT);
    await send(flushed, "flushed", `flushed ${script({ text: "Yes." })}`);
    await standing("flushed", 2);
    await evie.kill();
    await launched();
    expect((await again(flushed, "flushed")).text).toBe("Yes.");
    expect((await again(handed, "handed")).text).toBe("At last.");
    expect(prompts()).toHaveLength(2);
  });

  test("run when Telegram cannot be reached, too", async () => {
    await launched(SLOW_AGENT);
    const session = await begin();
    await send(session, "one", `one ${script({ text: "One." })}`);
    await evie.kill();
    evie.launch({ TELEGRAM_API_ROOT: "http://127.0.0.1:9" });
    await expect.poll(prompts, { timeout: 15_000 }).toHaveLength(1);
    expect((await again(session, "one")).text).toBe("One.");
  });
});

test(
  "who waits for a prompt that no agent has is told, when evie ends, that it runs after the next start",
  { timeout: LONG },
  async () => {
    await launched();
    const session = await begin();
    await send(session, "one", BUSY);
    await standing("accepted");
    const waiting = evie.ask<Answer>("POST", `/api/sessions/${session}/prompt`, {
      text: TWO,
      requestId: "two",
    });
    sent.set("two", { text: TWO, requestId: "two" });
    await standing("flushed");
    expect(await evie.stop()).toBe(0);
    expect(await waiting).toMatchObject({ outcome: "failed", error: expect.stringContaining("next start") });
    await launched();
    expect((await again(session, "two")).text).toBe("Two.");
    expect((await again(session, "one")).outcome).toBe("stopped");
    expect(prompts()).toEqual([BUSY, TWO]);
  },
);

describe("a chat's message and a prompt by HTTP, one of which replaced the other before an agent had it", () => {
  const chatSession = async (): Promise<string> => {
    const { sessions } = await evie.ask<{ sessions: readonly SessionInfo[] }>("GET", "/api/sessions");
    return sessions.find(({ chat }) => chat?.id === ADA)?.id ?? "none";
  };
  const SEEN = `from the chat ${script({ text: "Seen." })}`;
  const DONE = `from elsewhere ${script({ text: "Done." })}`;

  test(
    "run both after the restart, each by itself, where the chat's was replaced",
    { timeout: LONG },
    async () => {
      await launched(SLOW_AGENT);
      ada.sendPhoto(png(2), { caption: SEEN });
      await standing("flushed");
      const session = await chatSession();
      await send(session, "d", DONE, { mode: "replace", ...picture });
      await standing("flushed", 2);
      // Its placeholder goes behind the line: then evie knows that Telegram has that.
      await expect.poll(texts, { timeout: 10_000 }).toEqual([replies.waits]);
      await evie.kill();
      await launched();
      expect(await again(session, "d")).toMatchObject({ outcome: "done", text: "Done." });
      await expect.poll(() => texts().includes("Seen."), { timeout: 10_000 }).toBe(true);
      expect(evie.taken()).toHaveLength(2);
      expect(evie.taken()).toEqual(
        expect.arrayContaining([
          { text: SEEN, images: 1 },
          { text: DONE, images: 1 },
        ]),
      );
      expect(texts()).not.toContain("…");
      expect(texts()).not.toContain(replies.waits);
    },
  );

  test(
    "run the chat's after the restart, where that replaced the other, which says so",
    { timeout: LONG },
    async () => {
      await launched();
      await ada.say(`hello ${script({ text: "Hello." })}`);
      await expect.poll(() => texts().includes("Hello."), { timeout: 10_000 }).toBe(true);
      await evie.kill();
      await launched(SLOW_AGENT);
      const session = await chatSession();
      await send(session, "d", DONE, picture);
      await ada.say(SEEN);
      await expect.poll(() => texts().includes(replies.waits), { timeout: 10_000 }).toBe(true);
      const waits = evie.api.chat(ADA).botMessages.find(({ text }) => text === replies.waits);
      await standing("flushed", 2);
      ada.press(waits?.id ?? 0, NOW_WORD);
      await standing("flushed");
      expect(await again(session, "d")).toMatchObject({
        outcome: "replaced",
        error: expect.stringContaining("never reached the agent"),
      });
      await evie.kill();
      await launched();
      await expect.poll(() => texts().includes("Seen."), { timeout: 20_000 }).toBe(true);
      expect(evie.taken().slice(1)).toEqual([{ text: SEEN, images: 0 }]);
      expect((await again(session, "d")).outcome).toBe("replaced");
      await expect.poll(() => [keptPrompts(), uploads()], { timeout: 5_000 }).toEqual([0, []]);
      expect(texts()).not.toContain(replies.waits);
    },
  );
});
