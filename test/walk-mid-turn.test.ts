import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { SessionInfo } from "../src/domain/wire.ts";
import type { Person } from "../src/playground/bot-api/person.ts";
import { NOW_WORD, replies } from "../src/telegram/words.ts";
import { type MortalEvie, prepareMortalEvie } from "./kill-rig.ts";

/*
 * What a chat writes while a turn of the HTTP API runs in its session: as a process, with the fake agent.
 */

const ADA = 4_711;
const LONG = 60_000;

let evie: MortalEvie;
let ada: Person;
let session: string;

const script = (run: object): string => `FAKE${JSON.stringify(run)}`;
const texts = (): readonly string[] => evie.api.chat(ADA).botMessages.map(({ text }) => text);
const shows = (what: string): Promise<void> =>
  expect.poll(() => texts().some((text) => text.includes(what)), { timeout: 15_000 }).toBe(true);
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const waitsLines = () => evie.api.chat(ADA).botMessages.filter(({ text }) => text === replies.waits);

beforeEach(async () => {
  const mortal = await prepareMortalEvie([ADA], { http: true });
  onTestFinished(() => mortal[Symbol.asyncDispose]());
  evie = mortal;
  ada = evie.api.person({ id: ADA, first_name: "Ada" });
  evie.launch();
  await evie.polls();
  await ada.say(`hello ${script({ text: "Hello." })}`);
  await shows("Hello.");
  const { sessions } = await evie.ask<{ sessions: readonly SessionInfo[] }>("GET", "/api/sessions");
  session = sessions.find(({ chat }) => chat?.id === ADA)?.id ?? "none";
  const text = `elsewhere ${script({ deltas: 400, overMs: 30_000 })}`;
  await evie.ask("POST", `/api/sessions/${session}/prompt?wait=0`, { text });
  await shows("elsewhere");
}, LONG);

test("a paste and its late rest wait together, and the button lets in both", { timeout: LONG }, async () => {
  const first = `paste ${"x".repeat(4_095 - "paste ".length)}`;
  const rest = `the rest ${script({ text: "Read." })}`;
  await ada.say(first);
  await sleep(900);
  await ada.say(rest);
  await expect
    .poll(() => waitsLines().map(({ message }) => message.reply_to_message?.text), { timeout: 15_000 })
    .toEqual([rest]);
  ada.press(waitsLines()[0]?.id ?? 0, NOW_WORD);
  await shows("Read.");
  expect(
    evie
      .taken()
      .map(({ text }) => text)
      .slice(2),
  ).toEqual([`${first}\n\n${rest}`]);
  await expect.poll(waitsLines, { timeout: 5_000 }).toEqual([]);
});

test("two corrections are one turn, also over a crash", { timeout: LONG }, async () => {
  await ada.say("not this");
  await expect.poll(() => waitsLines().length, { timeout: 15_000 }).toBe(1);
  await ada.say(`but that ${script({ text: "That." })}`);
  await expect
    .poll(() => waitsLines()[0]?.message.reply_to_message?.text ?? "", { timeout: 15_000 })
    .toContain("but that");
  expect(waitsLines()).toHaveLength(1);
  await evie.kill();
  evie.launch();
  await evie.polls();
  await shows("That.");
  expect(
    evie
      .taken()
      .map(({ text }) => text)
      .slice(2),
  ).toEqual([`not this\n\nbut that ${script({ text: "That." })}`]);
  await expect.poll(waitsLines, { timeout: 5_000 }).toEqual([]);
});
