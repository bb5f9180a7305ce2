import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { ShownMessage } from "../src/playground/bot-api/bot-api.ts";
import type { Person } from "../src/playground/bot-api/person.ts";
import { labels, replies } from "../src/telegram/words.ts";
import { png } from "./builders.ts";
import { type MortalEvie, prepareMortalEvie, type Standing } from "./kill-rig.ts";

/*
 * What a person sees of an evie that was ended in the middle of something: as a process that is killed and started
 * again, with the fake agent, on one Bot API.
 */

const ADA = 4_711;

/** Milliseconds: most tests start evie twice, and a busy machine needs seconds for each. */
const LONG = 60_000;

let evie: MortalEvie;
let ada: Person;

beforeEach(async () => {
  const mortal = await prepareMortalEvie([ADA]);
  onTestFinished(() => mortal[Symbol.asyncDispose]());
  evie = mortal;
  ada = evie.api.person({ id: ADA, first_name: "Ada" });
});

const script = (run: object): string => `FAKE${JSON.stringify(run)}`;
const shown = (): readonly ShownMessage[] => evie.api.chat(ADA).botMessages;
const texts = (): readonly string[] => shown().map(({ text }) => text);
const prompts = (): readonly string[] => evie.taken().map(({ text }) => text);

async function until(holds: () => boolean, what: string): Promise<void> {
  await evie.api.until(holds, { what, timeoutMs: 15_000 }).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${JSON.stringify(texts())}\n${evie.output().slice(-3_000)}`);
  });
}

const says = (text: string) => until(() => texts().includes(text), `“${text}”`);

async function launched(): Promise<void> {
  evie.launch();
  await evie.polls();
}

/** Waits for something that shows nowhere but in evie's own notes. */
async function standing(state: keyof Standing): Promise<void> {
  for (let look = 0; look < 300; look += 1) {
    if ((evie.standing()?.[state] ?? 0) > 0) return;
    await sleep(20);
  }
  throw new Error(`nothing was ever ${state}`);
}

describe("what was not answered when evie died", { timeout: LONG }, () => {
  test("is answered after the start, with what was written meanwhile, as one prompt", async () => {
    await launched();
    ada.sendPhoto(png(1), { caption: "before" });
    await standing("unspent");
    await evie.kill();
    await ada.say("while it was down");
    await ada.say(`and ${script({ text: "All three." })}`);
    await launched();
    await says("All three.");
    expect(evie.taken()).toEqual([
      { text: `before\n\nwhile it was down\n\nand ${script({ text: "All three." })}`, images: 1 },
    ]);
    expect(texts()).toEqual(["All three."]);
  });

  test("is answered as well when its turn had begun, and the placeholder of before goes", async () => {
    evie.launch({ FAKE_AGENT: '{"readyMs":20000}' });
    await evie.polls();
    await ada.say(`flushed ${script({ text: "Yes." })}`);
    await until(() => texts().includes("…"), "the placeholder");
    // Killed before it knows of the placeholder, nobody could take it away.
    await standing("bubbles");
    await evie.kill();
    await launched();
    await says("Yes.");
    await until(() => texts().length === 1, "the end of the old placeholder");
    expect(prompts()).toHaveLength(1);
  });

  test("is answered when the agent had been given it, and had not taken it", async () => {
    await launched();
    await ada.say(`handed ${script({ acceptMs: 1_500, text: "Taken at last." })}`);
    await standing("handed");
    await evie.kill();
    await launched();
    await says("Taken at last.");
    expect(prompts()).toHaveLength(1);
  });

  test("is answered when it stood behind a command, which is not done again", async () => {
    await launched();
    await ada.say(`/new and then\n${script({ text: "Then." })}`);
    await says(replies.cleared);
    await evie.kill();
    await ada.say("more");
    await launched();
    await says("Then.");
    expect(prompts()).toEqual([`and then\n${script({ text: "Then." })}\n\nmore`]);
    expect(texts()).toEqual([replies.cleared, "Then."]);
  });

  test("is answered after a stop that was asked for, too", async () => {
    await launched();
    await ada.say(`orderly ${script({ text: "Later." })}`);
    await standing("unspent");
    expect(await evie.stop()).toBe(0);
    expect(texts()).toEqual([replies.shuttingDown]);
    await launched();
    await says("Later.");
    expect(prompts()).toHaveLength(1);
  });
});

describe("what the agent was doing when evie died", { timeout: LONG }, () => {
  test.each([
    ["was killed", () => evie.kill()],
    ["was stopped", () => evie.stop()],
  ])("is reported with a button after evie %s, and done again only when that is pressed", async (_, end) => {
    await launched();
    const [asked] = await ada.say(`dangerous ${script({ deltas: 400, overMs: 20_000 })}`);
    await until(() => texts().some((text) => text.includes("w0003")), "the first words");
    await end();
    await launched();
    await says(replies.interrupted);
    const report = shown().at(-1);
    expect(report?.message.reply_to_message?.message_id).toBe(asked?.message_id);
    expect(texts()[0]).toMatch(/^w0001\s[\s\S]*\((cut off|stopped)\)/);
    expect(prompts()).toHaveLength(1);

    const press = ada.press(report?.id ?? 0, "Try again");
    await until(() => press.answer !== undefined, "the answer to the press");
    expect(press.answer?.text).toBe(replies.doneAgain);
    await until(() => prompts().length === 2, "the second attempt");
    expect(prompts()[1]).toBe(`${labels.again}\n\n${prompts()[0]}`);
    const again = ada.press(report?.id ?? 0, "Try again");
    await until(() => again.answer !== undefined, "the answer to the second press");
    expect(again.answer?.text).toBe(replies.doneAgainAlready);
    await ada.say("/stop");
    await says(replies.stopped);
    expect(prompts()).toHaveLength(2);
  });

  test("is closed without a word more when a person had stopped it", async () => {
    await launched();
    await ada.say(`stopped ${script({ deltas: 10, hang: true, ignoreAbort: true })}`);
    await until(() => texts().some((text) => text.includes("w0003")), "the first words");
    await ada.say("/stop");
    await says(replies.stopped);
    await evie.kill();
    await launched();
    await until(() => texts()[0]?.endsWith("(stopped)") === true, "the mark");
    await ada.say(`next ${script({ text: "Here." })}`);
    await says("Here.");
    expect(texts()).not.toContain(replies.interrupted);
    expect(prompts()).toHaveLength(2);
  });
});

test(
  "an answer that was still on its way is delivered once after the restart",
  { timeout: LONG },
  async () => {
    await launched();
    await ada.say(`undelivered ${script({ overMs: 1_500, text: "one two three four five" })}`);
    await until(() => texts().some((text) => text.startsWith("one")), "the first words");
    const outage = await evie.api.faults.outage();
    for (let look = 0; look < 300 && evie.standing()?.undelivered !== 1; look += 1) await sleep(20);
    await evie.kill();
    await outage.end();
    await launched();
    await says("one two three four five");
    expect(texts()).toEqual(["one two three four five"]);
    expect(prompts()).toHaveLength(1);
  },
);

test("a session goes on after a restart, in the file of before", { timeout: LONG }, async () => {
  await launched();
  await ada.say(`first ${script({ text: "One." })}`);
  await says("One.");
  await evie.kill();
  await launched();
  await ada.say(`second ${script({ text: "Two." })}`);
  await says("Two.");
  const folder = join(evie.folder, "home", "sessions");
  const [file, ...others] = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
  expect(others).toEqual([]);
  const history = await readFile(join(folder, file ?? ""), "utf8");
  expect(history).toMatch(/first [\s\S]*second /);
});

test(
  "a session file that is damaged is set aside, the person is told, and the prompt is answered",
  { timeout: LONG },
  async () => {
    await launched();
    await ada.say(`first ${script({ text: "One." })}`);
    await says("One.");
    await evie.kill();
    const folder = join(evie.folder, "home", "sessions");
    const [file = ""] = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
    await writeFile(join(folder, file), "spoiled\n");
    await launched();
    await ada.say(`second ${script({ text: "Two." })}`);
    await until(
      () => texts().some((text) => text.startsWith("Two.") && text.includes("history")),
      "the answer",
    );
    // The agent of the evie that was killed may have had a last word in it.
    expect(await readFile(join(folder, `${file}.damaged`), "utf8")).toMatch(/^spoiled\n/);
  },
);

test(
  "messages of more than six hours ago are listed, and asked when the button is pressed",
  { timeout: LONG },
  async () => {
    const message = {
      from: ada.user,
      chat: ada.chat,
      date: Math.floor(Date.now() / 1_000) - 7 * 3_600,
    };
    evie.api.pushUpdate({ message: { ...message, message_id: 9_001, text: "old thing" } });
    evie.api.pushUpdate({
      message: { ...message, message_id: 9_002, text: `other ${script({ text: "Done now." })}` },
    });
    await launched();
    await until(() => texts().some((text) => text.includes("• old thing")), "the list");
    await sleep(300);
    expect(prompts()).toEqual([]);
    ada.press(shown()[0]?.id ?? 0, "Try again");
    await says("Done now.");
    expect(prompts()).toEqual([`old thing\n\nother ${script({ text: "Done now." })}`]);

    // Evie runs now: what Telegram brings late is asked, and so is what waited through a short break.
    const late = `late ${script({ text: "Late, and done." })}`;
    evie.api.pushUpdate({ message: { ...message, message_id: 9_003, text: late } });
    await says("Late, and done.");
    expect(prompts().at(-1)).toBe(late);
  },
);

describe(
  "what was cut off stays cut off, though the old agent does not hear of it for a minute",
  { timeout: LONG },
  () => {
    const DEAF = { deltas: 40, overMs: 60_000, ignoreAbort: true };

    /** What everybody can see of the old turn: its bubble, and the history of its agent. */
    async function traces(): Promise<string> {
      const folder = join(evie.folder, "home", "sessions");
      const hash = createHash("sha256");
      for (const name of (await readdir(folder)).filter((each) => each.endsWith(".jsonl")).sort())
        hash.update(await readFile(join(folder, name)));
      return `${hash.digest("hex")} ${JSON.stringify(texts())}`;
    }

    test.each([
      ["/clear", replies.cleared],
      ["/stop", replies.stopped],
    ])(
      "after %s nothing of it is shown or written any more, and nobody types",
      async (command, reply) => {
        await launched();
        await ada.say(`old ${script(DEAF)}`);
        await until(() => texts().some((text) => text.includes("w0001")), "the first words");
        await ada.say(command);
        await says(reply);
        // The abort's grace is five seconds; then the agent is dismissed.
        await until(() => texts()[0]?.endsWith("(stopped)") === true, "the mark");
        await sleep(6_500);
        const before = await traces();
        const typed = evie.api.callsOf("sendChatAction").length;
        await sleep(2_500);
        expect(await traces()).toBe(before);
        expect(evie.api.callsOf("sendChatAction")).toHaveLength(typed);
      },
      40_000,
    );
  },
);
