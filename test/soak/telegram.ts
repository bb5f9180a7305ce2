import { once } from "node:events";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { realClock } from "../../src/clock.ts";
import type { BotApi } from "../../src/playground/bot-api/bot-api.ts";
import type { CallFault } from "../../src/playground/bot-api/faults.ts";
import { startBotApi } from "../../src/playground/bot-api/start.ts";
import { noisePng } from "../builders.ts";
import type { ChatFacts, TelegramFacts } from "./facts.ts";
import { answerTo, chatIds, planMessages, type PlannedMessage, type SoakOptions } from "./plan.ts";
import { createRandom, type Random } from "./random.ts";
import { letStrangersWrite, type StrangersFacts } from "./strangers.ts";

/*
 * Telegram, its people and its faults, as a process of their own: what they hold must not count as evie's memory.
 * Begun by run.ts with the options as its argument; it tells where it listens, waits for "go", and tells what it saw.
 */

/** Milliseconds that may pass after the last message until every chat shows its last answer. */
const PATIENCE = 90_000;

const options = JSON.parse(process.argv[2] ?? "{}") as SoakOptions;
const random = createRandom(options.seed);
const api = await startBotApi({ clock: realClock, flood: true, firstUpdateId: 900_000_001 });
const people = new Map(chatIds(options).map((id) => [id, api.person({ id, first_name: `Person ${id}` })]));
const written = new Map<number, ChatFacts["written"][number][]>();
let outages = 0;

process.send?.({ root: api.root, token: api.token });
process.once("message", () => void soak());

async function soak(): Promise<void> {
  const ending = new AbortController();
  const trouble = makeTrouble(ending.signal);
  const strangers = letStrangersWrite(api, createRandom(options.seed + 2), ending.signal);
  const begun = realClock.now();
  for (const message of planMessages(options, random)) {
    await sleep(Math.max(0, begun + message.at - realClock.now()));
    if (message.at > options.seconds * 1_000) ending.abort();
    write(message);
  }
  ending.abort();
  await trouble;
  api.faults.clear();
  // Who gives up here tells by what the chats show.
  await api
    .until(everyLastIsAnswered, { timeoutMs: PATIENCE, what: "the last answers" })
    .catch(() => undefined);
  await sleep(3_000);
  const read = once(process, "message");
  process.send?.(facts((await strangers)()));
  // What was sent by a process that ends may be lost.
  await read;
  await api.close();
  process.disconnect();
}

function write({ chatId, tag, text, kind }: PlannedMessage): void {
  const person = people.get(chatId);
  if (person === undefined) return;
  const note = (messageId: number): void => {
    const chat = written.get(chatId) ?? [];
    chat.push({ messageId, tag });
    written.set(chatId, chat);
  };
  if (kind === "photo") return note(person.sendPhoto(noisePng(6, 6), { caption: text }).message_id);
  if (kind === "document")
    return note(person.sendDocument(Buffer.from(tag), { name: "notes.txt", caption: text }).message_id);
  // One that fits is there when this comes back.
  void person.say(text);
  note(api.chat(chatId).messages.at(-1)?.id ?? 0);
}

function everyLastIsAnswered(): boolean {
  return [...written].every(([chatId, messages]) => {
    const last = messages.at(-1);
    return (
      last === undefined ||
      api
        .chat(chatId)
        .botMessages.some(
          ({ id, text }) => id > last.messageId && (text === answerTo(last.tag) || text.includes("⚠️")),
        )
    );
  });
}

const METHODS = [
  "sendMessage",
  "editMessageText",
  "getUpdates",
  "sendChatAction",
  "deleteMessage",
  "getFile",
];

/** One thing after another that can go wrong between a bot and Telegram. */
async function makeTrouble(ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await sleep(random.between(50, 500), undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return;
    if (random() < 0.04) await outage(api, random);
    else await oneFault(api, random, ended);
  }
}

async function outage(of: BotApi, chance: Random): Promise<void> {
  outages += 1;
  const fault = await of.faults.outage();
  await sleep(chance.between(500, 4_000));
  await fault.end();
}

/** One fault for a while: those that nobody runs into would wait, and then come all at once. */
async function oneFault({ faults }: BotApi, chance: Random, ended: AbortSignal): Promise<void> {
  const methods = chance.pick(METHODS);
  const fault = faults.calls({ ...randomFault(chance), methods, times: chance.between(1, 3) });
  await sleep(chance.between(200, 1_200), undefined, { signal: ended }).catch(() => undefined);
  fault.off();
}

function randomFault(chance: Random): CallFault {
  const when = chance.pick(["before", "after"] as const);
  switch (chance.between(0, 6)) {
    case 0:
      return { kind: "flood", retryAfter: chance.between(1, 3) };
    case 1:
      return { kind: "error", code: 500, description: "Internal Server Error" };
    case 2:
      return { kind: "html", status: chance.pick([502, 504]) };
    case 3:
      return { kind: "reset", when };
    case 4:
      return { kind: "cut" };
    case 5:
      return { kind: "slow", ms: chance.between(100, 2_000), when };
    default:
      return { kind: "error", code: 502, description: "Bad Gateway" };
  }
}

function facts(strangers: StrangersFacts): TelegramFacts {
  const answers: Record<string, number> = {};
  for (const { status } of api.calls) {
    const name = status === undefined ? "lost" : `${status}`;
    answers[name] = (answers[name] ?? 0) + 1;
  }
  const chats = chatIds(options).map((id) => ({
    id,
    written: written.get(id) ?? [],
    shown: api.chat(id).botMessages.map(({ id: messageId, text }) => ({ messageId, text })),
    unknown: api.calls
      .filter(
        (call) =>
          call.chatId === id && call.effective && call.lost && call.method.toLowerCase() === "sendmessage",
      )
      .map(({ payload }) => (typeof payload["text"] === "string" ? payload["text"] : "")),
  }));
  const refusals = api.calls
    // What was done already, and whose answer was lost, is refused the second time.
    .filter(
      ({ status, description = "" }) =>
        status === 400 && !/not modified|to delete not found/.test(description),
    )
    .map(
      ({ method, chatId, description, payload }) =>
        `${method} in ${chatId}: ${description} ${JSON.stringify(payload).slice(0, 300)}`,
    );
  const violations = api.flood.violations.map((each) => JSON.stringify(each));
  return { chats, strangers, answers, outages, calls: api.calls.length, violations, refusals };
}
