import type { FakeRun } from "../fakes/fake-agent/script.ts";
import type { Random } from "./random.ts";

export interface SoakOptions {
  readonly seed: number;
  readonly chats: number;
  readonly messages: number;
  /** For how long people write. */
  readonly seconds: number;
}

/** One message that a person is going to write. */
export interface PlannedMessage {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly chatId: number;
  /** In no other message: by it the message is found wherever it went. */
  readonly tag: string;
  readonly text: string;
  readonly kind: "text" | "photo" | "document";
}

/** The ids of the people, whose private chats have the same. */
export function chatIds({ chats }: SoakOptions): readonly number[] {
  return Array.from({ length: chats }, (_, index) => 50_001 + index);
}

/** What everybody writes, and when: bursts at random moments, and one plain message a chat at the end. */
export function planMessages(options: SoakOptions, random: Random): readonly PlannedMessage[] {
  const ids = chatIds(options);
  const planned: PlannedMessage[] = [];
  const plan = (at: number, chatId: number, isLast: boolean): void => {
    const tag = `m${planned.length + 1}m`;
    const run = isLast ? { text: answerTo(tag) } : randomRun(tag, random);
    const kind = isLast || random() > 0.06 ? "text" : random.pick(["photo", "document"] as const);
    planned.push({ at, chatId, tag, kind, text: `${tag} FAKE${JSON.stringify(run)}` });
  };
  while (planned.length < options.messages - ids.length) {
    const chatId = random.pick(ids);
    let at = random() * options.seconds * 1_000;
    const count = Math.min(random.between(1, 6), options.messages - ids.length - planned.length);
    for (let written = 0; written < count; written += 1) {
      plan(at, chatId, false);
      at += random.between(10, 450);
    }
  }
  for (const chatId of ids) plan(options.seconds * 1_000 + 3_000, chatId, true);
  return planned.toSorted((one, other) => one.at - other.at);
}

/** The first word of the answer to the message with this tag. */
export function answerTo(tag: string): string {
  return `answer-${tag}`;
}

function randomRun(tag: string, random: Random): FakeRun {
  const text = answerTo(tag);
  const dice = random();
  if (dice < 0.5) return { text };
  if (dice < 0.8) {
    const words = Array.from({ length: random.between(5, 400) }, () => "word").join(" ");
    return { text: `${text} ${words}.`, overMs: random.between(200, 4_000) };
  }
  if (dice < 0.84) return { text, exit: { signal: "SIGKILL" } };
  if (dice < 0.87)
    return { text, exitAfter: { code: random.between(1, 9), stderr: "a fault was asked for\n" } };
  if (dice < 0.9) return { text, tool: { process: true } };
  if (dice < 0.94) return { text, rubbish: ["{not json", "null"] };
  if (dice < 0.97) return { text, retries: 1, retryMs: random.between(10, 500) };
  return { text, thinking: 50, acceptMs: random.between(0, 300) };
}
