import { scriptOf } from "../fakes/fake-agent/script.ts";
import type { AgentNote, ChatFacts, TelegramFacts } from "./facts.ts";

export interface Verdict {
  readonly counts: Readonly<Record<string, number>>;
  /** One sentence for each promise that was broken, and each time that it was. */
  readonly broken: readonly string[];
}

/** One prompt as an agent has seen it. */
interface SeenPrompt {
  readonly tags: readonly string[];
  /** The word that its whole answer begins with. */
  readonly answer: string;
  accepted: boolean;
  aborted: boolean;
  settled: boolean;
}

const TAG = /\bm\d+m\b/g;

/** Reads of the agents' record which prompts they saw, and what became of each. */
export function seenPrompts(notes: readonly AgentNote[]): readonly SeenPrompt[] {
  const prompts: SeenPrompt[] = [];
  const current = new Map<number, SeenPrompt>();
  for (const { pid, event, record } of notes) {
    if (record?.type === "prompt") {
      const message = record.message ?? "";
      // Their answers name them too.
      const tags = message.replace(/FAKE\{[^\n]*/g, "").match(TAG) ?? [];
      const answer = scriptOf(message).text?.split(" ")[0] ?? "";
      const prompt = { tags, answer, accepted: false, aborted: false, settled: false };
      current.set(pid, prompt);
      prompts.push(prompt);
      continue;
    }
    const prompt = current.get(pid);
    if (prompt === undefined) continue;
    // Also behind its end: evie had not heard of that yet, and what comes behind a wish to stop is shown nowhere.
    if (record?.type === "abort") prompt.aborted = true;
    if (event === "accepted") prompt.accepted = true;
    if (event === "settled") prompt.settled = true;
  }
  return prompts;
}

/** Whether what the people wrote was answered once, and nothing was lost or doubled beyond what cannot be known. */
export function judge({ chats, ...telegram }: TelegramFacts, notes: readonly AgentNote[]): Verdict {
  const prompts = seenPrompts(notes);
  const times = new Map<string, number>();
  for (const { accepted, tags } of prompts)
    for (const tag of tags) times.set(tag, (times.get(tag) ?? 0) + (accepted ? 1 : 0));
  const broken: string[] = [];
  let told = 0;
  let written = 0;
  let doubles = 0;

  for (const chat of chats) {
    for (const { messageId, tag } of chat.written) {
      written += 1;
      const count = times.get(tag) ?? 0;
      if (count > 1) broken.push(`${tag} in chat ${chat.id} was taken by an agent ${count} times`);
      if (count > 0) continue;
      if (tellsOfFault(chat, messageId)) told += 1;
      else broken.push(`${tag} in chat ${chat.id} was lost: no agent took it, and nothing was said`);
    }
    const unknown = [...chat.unknown];
    for (const [word, extra] of repeats(chat)) {
      doubles += extra;
      for (let left = extra; left > 0; left -= 1) {
        const same = unknown.findIndex((text) => firstWord(text) === word);
        // A placeholder that was sent twice may have become the answer twice.
        const at = same === -1 ? unknown.indexOf(PLACEHOLDER) : same;
        if (at === -1) broken.push(`“${word}” is shown once too often in chat ${chat.id}`);
        else unknown.splice(at, 1);
      }
    }
    const placeholders = chat.shown.filter(({ text }) => text === PLACEHOLDER).length;
    const excused = unknown.filter((text) => text === PLACEHOLDER).length;
    if (placeholders > excused)
      broken.push(`${placeholders} placeholders stand in chat ${chat.id}, and ${excused} can be excused`);
  }

  const shown = new Set(chats.flatMap((chat) => chat.shown.map(({ text }) => firstWord(text))));
  const done = prompts.filter(({ settled, aborted, accepted }) => settled && accepted && !aborted);
  for (const { answer } of done)
    if (!shown.has(answer)) broken.push(`“${answer}” was said by an agent, and is nowhere to be read`);
  for (const chat of chats) {
    const last = chat.written.at(-1)?.tag ?? "";
    if (!shown.has(`answer-${last}`) && !tellsOfFault(chat, chat.written.at(-1)?.messageId ?? 0))
      broken.push(`the last message of chat ${chat.id}, ${last}, has no answer`);
  }

  const { strangers, greeted } = telegram.strangers;
  if (strangers > 0 && greeted === 0) broken.push("no stranger was told that the bot is private");

  return {
    broken,
    counts: {
      "messages written": written,
      "prompts that agents took": prompts.filter(({ accepted }) => accepted).length,
      "answers in full": done.length,
      "prompts replaced": prompts.filter(({ aborted }) => aborted).length,
      "messages told as not taken": told,
      "sends with an unknown outcome": chats.reduce((sum, { unknown }) => sum + unknown.length, 0),
      "doubles that these explain": doubles,
      "calls of the Bot API": telegram.calls,
      "calls into a rest": telegram.violations.length,
      "calls refused as wrong": telegram.refusals.length,
      outages: telegram.outages,
      "messages of strangers": telegram.strangers.messages,
      "strangers greeted": telegram.strangers.greeted,
    },
  };
}

const PLACEHOLDER = "…";

function firstWord(text: string): string {
  return /^\S*/.exec(text)?.[0] ?? "";
}

/** A fault that was told behind this message. */
function tellsOfFault({ shown }: ChatFacts, messageId: number): boolean {
  return shown.some((each) => each.messageId > messageId && each.text.includes("⚠️"));
}

/** The answers that are shown more than once, and how often too much. */
function repeats({ shown }: ChatFacts): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const { text } of shown) {
    const word = firstWord(text);
    if (word.startsWith("answer-")) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].map(([word, count]) => [word, count - 1] as const).filter(([, extra]) => extra > 0);
}
