/* Every word that evie itself says on Telegram. */

import type { Face, Notice } from "../domain/events.ts";
import type { ToolState } from "../domain/transcript.ts";
import type { TurnOutcome } from "../domain/turn.ts";
import { isBlank } from "./entities.ts";
import { cleanMarkdown } from "./markdown/clean.ts";

/** Stands where the answer will be, from the flush to its first words. */
export const PLACEHOLDER = "…";

export interface CommandWord {
  readonly name: string;
  readonly description: string;
}

/** The menu of commands, in Telegram's order. */
export const COMMANDS: readonly CommandWord[] = [
  { name: "clear", description: "Start a new session" },
  { name: "stop", description: "Stop what the agent is doing" },
  { name: "deck", description: "The link to evie's page in the browser" },
  { name: "help", description: "What evie does and understands" },
];

export const replies = {
  start:
    "Hello! I pass what you write to the coding agent on your machine, and bring its answer back here.\n\nWrite a message, paste a long text, or send pictures and files. /help tells more.",
  help: [
    "Write, and the agent on your machine answers. Messages that you send in quick succession, a long paste or an album count as one.",
    "A new message while the agent works for this chat replaces what it is doing. While it works on something from the deck or over HTTP, your messages wait together; the button below them lets them in at once.",
    [
      "/clear – start a new session (also /new)",
      "/stop – stop what the agent is doing",
      "/deck – the link to all sessions in a browser on evie's machine",
      "/help – this text",
    ].join("\n"),
    "Words behind /clear, /new or /stop are a message of their own: the command acts, then they are asked.",
    "A message that you change while the agent works on it can be asked anew with the button that appears.",
  ].join("\n\n"),
  cleared: "New session. What was said before is kept on the machine, and no longer in the agent's mind.",
  stopped: "Stopped.",
  dropped: (count: number): string =>
    count === 1
      ? "A prompt that waited was dropped, too."
      : `${count} prompts that waited were dropped, too.`,
  waits: "The agent works on something that was asked elsewhere. Your message waits until it is done.",
  takenBack:
    "Your message that waited was dropped elsewhere, before the agent had it. Send it again if it still matters.",
  hurried: "On it.",
  waitsNoMore: "This message does not wait any more.",
  deck: (link: string): string =>
    `The deck, all sessions in a browser:\n${link}\n\nThe link works in a browser on evie's machine, or elsewhere through a tunnel to it. Keep it to yourself: it lets in whoever has it, for as long as you may use this bot.`,
  deckIsOff:
    "The deck is off (EVIE_HTTP_PORT is 0 on evie's machine). Without that setting, evie serves it from its next start on.",
  nothingRuns: "Nothing is running.",
  unknownCommand: (name: string): string => `There is no command /${name}. /help lists what there is.`,
  unknownWithWords: (name: string): string =>
    `There is no command /${name}, so the agent did not get this message. To send it as it is, put a word in front of the slash. /help lists the commands.`,
  unsent: (name: string): string => `The agent did not get what stands behind /${name}.`,
  stranger: (userId: number): string => `This bot is private. Your id is ${userId}.`,
  unusable: (what: string): string => `I cannot pass ${what} on to the agent. Send text, pictures or files.`,
  claimed:
    "This bot is yours now: nobody else reaches the agent on your machine. There, EVIE_ALLOWED_USERS lets others in, and “evie unclaim” takes the bot back.",
  switched: (name: string): string =>
    `This chat speaks with ${short(name) === "" ? "a session without a name" : `“${short(name)}”`} now.`,
  notSwitched: {
    here: "This chat speaks with that session already.",
    unknown: "There is no session behind that link any more. This chat goes on as it was.",
    taken: "Another chat speaks with that session. Send /clear there first, then open the link again.",
    busy: "An answer is being written here. Wait for it, or /stop it first.",
  },
  sessionGone: "The session of this chat is gone, so this begins a new one.",
  fileMissing: (name: string, reason: string): string =>
    `“${short(name)}” did not reach the agent: ${reason}. Send it again if it matters.`,
  repliedFileMissing: (name: string, reason: string): string =>
    `“${short(name)}”, to which you replied, did not reach the agent: ${reason}. Send it again if it matters.`,
  fault: (sentence: string): string => `⚠️ ${cleanMarkdown(sentence)}`,
  shuttingDown:
    "evie is being stopped on its machine. What you wrote last is kept, and answered when it runs again.",
  tooMany:
    "Too many prompts wait in this session, so the agent has not been given what you wrote last. It is kept, and handed on when some of them are answered. /stop drops those that wait.",
  diskOutage: (sentence: string): string =>
    `⚠️ ${sentence} What you write is not lost: it is taken up when that is done.`,
  diskOutageCommand: (sentence: string, name: string): string => `⚠️ ${sentence} Then send /${name} again.`,
  kept: "This cannot be handed on at the moment (see the log on evie's machine). It is kept, and tried again.",
  interrupted:
    "evie was ended while the agent worked on this, and the agent may have done a part of it. It is not done again by itself.",
  aged: (excerpts: readonly string[]): string =>
    [
      "While evie was not running you wrote, more than six hours ago:",
      ...excerpts.slice(0, 10).map((excerpt) => `• ${short(excerpt) || "(a file)"}`),
      ...(excerpts.length > 10 ? [`and ${excerpts.length - 10} more.`] : []),
      "Shall the agent still do it?",
    ].join("\n"),
  oldWords: "You changed this after the agent had taken it: the agent has the words of before.",
  doneAgain: "Asked again.",
  askedAnew: "Asked with the new words.",
  doneAgainAlready: "That was asked again already.",
  nothingToRepeat: "That is not kept any more. Write it again.",
} as const;

/** Where a turn was begun that a chat shows and that is not its own. */
export const ELSEWHERE: Readonly<Record<Exclude<Face, "telegram">, string>> = {
  deck: "In the deck",
  http: "By HTTP",
};

/** What was asked there, on one line. */
export function askedWords(face: Exclude<Face, "telegram">, text: string, withPictures: boolean): string {
  return `${ELSEWHERE[face]}: ${short(text) || (withPictures ? "(a picture)" : "(nothing that can be shown)")}`;
}

/** Below what an agent had said when evie was ended. */
export const CUT_OFF = "(cut off)";

/** The button that asks a prompt again, or for the first time. */
export const TRY_AGAIN = "Try again";

/** On the button below a line about a message that was changed too late. */
export const ASK_ANEW = "Ask with the new words";

/** On the button below a line about a message that waits. */
export const NOW_WORD = "Now";

/** What the agent is told in front of a prompt that is not simply a person's. */
export const labels = {
  edited: "[The author has changed this since you were given it. It reads like this now.]",
  continues: "[This continues the message above, of which it is a part that came late.]",
  again:
    "[This is asked a second time: the first attempt was cut off, and may have had effects already. Look before you do it again.]",
} as const;

/** Whose prompt took a turn's place. */
const REPLACING: Readonly<Record<Face, string>> = {
  telegram: "your next message",
  deck: "a prompt from the deck",
  http: "a prompt over HTTP",
};

const STOPPED = "(stopped)";

function replacedLine(by: string): string {
  return `(interrupted by ${by})`;
}

/** What is said below an answer that did not simply end; undefined when it needs no word. */
export function outcomeLine(outcome: TurnOutcome): string | undefined {
  switch (outcome.type) {
    case "done":
      return outcome.cut === undefined ? undefined : `✂️ ${cleanMarkdown(outcome.cut.message)}`;
    case "replaced":
      return replacedLine(REPLACING[outcome.by ?? "telegram"]);
    case "stopped":
      return STOPPED;
    case "failed":
      return `⚠️ ${cleanMarkdown(outcome.message)}`;
  }
}

/** Whether a line of evie's says that an answer was ended before it was whole: it needs to be said once only. */
export function isMark(line: string): boolean {
  const replaced = Object.values(REPLACING).map(replacedLine);
  return [CUT_OFF, STOPPED, ...replaced].includes(line);
}

/** Below an answer of which an earlier step was cut off, after which the agent went on. */
export const STEP_CUT =
  "✂️ Part of this was cut off: a step reached the greatest length that the model allows.";

/** The whole of an answer that has no words. */
export const EMPTY_ANSWER = "(The agent finished without saying anything.)";

/** One line for one notice. */
export function noticeLine(notice: Notice): string {
  switch (notice.type) {
    case "retrying":
      return `🔁 The model failed${behindColon(notice.reason)}. Trying again, ${notice.attempt} of ${notice.maxAttempts}…`;
    case "compacting":
      return "🗜 Making room in the agent's memory…";
    case "waiting_for_agent":
      return `⏳ Waiting for another agent to finish (${notice.most} of ${notice.most} run).`;
    case "question_cancelled":
      return `❓ The agent asked ${short(notice.title) === "" ? "a question" : `“${short(notice.title)}”`}. evie cannot pass questions on yet, so it was told: cancelled.`;
    case "question_open":
      return `❓ The agent asks ${short(notice.title) === "" ? "something" : `“${short(notice.title)}”`} and waits. Answer here: ${notice.answerAt}`;
    case "image_omitted":
      return "🖼 The agent could not use a picture and left it out.";
    case "history_lost":
      return "⚠️ The history of this session could not be read and was set aside: the agent begins anew.";
    case "extension_message":
      return `ℹ️ ${short(notice.text)}`;
  }
}

/** Stands for what an extension said beyond what a turn shows. */
export function moreRemarks(count: number): string {
  return `ℹ️ and ${count} more of this kind`;
}

/** Below the last page of an answer that is longer than its pages. */
export const REST_COMES = "(The rest will follow as a file.)";
export const REST_IN_FILE = "(The rest is in the file below.)";

/** The message that rings after a long turn: `Done, 4 min, 7 tools`. Undefined for a turn that a person ended. */
export function ringLine(outcome: TurnOutcome, elapsed: number, tools: number): string | undefined {
  if (outcome.type === "stopped" || outcome.type === "replaced") return undefined;
  const how = outcome.type === "done" ? "Done" : "Failed";
  const used = tools === 0 ? "" : tools === 1 ? ", 1 tool" : `, ${tools} tools`;
  return `${how}, ${formatElapsed(elapsed)}${used}`;
}

export const THINKING = "💭 Thinking…";

/** One quiet line on the tools that run: the latest by name, the others by number. */
export function toolLine(running: readonly ToolState[], at: number): string | undefined {
  const latest = running.at(-1);
  if (latest === undefined) return undefined;
  const { name, summary, startedAt } = latest;
  const what = short(short(summary) === "" ? name : `${name}: ${summary}`);
  const others = running.length > 1 ? ` and ${running.length - 1} more` : "";
  const elapsed = formatElapsed(at - startedAt);
  return `🔧 ${what}${others}${elapsed === "" ? "" : `, ${elapsed}`}`;
}

/** Whether a line of evie's only says what is going on: below what was cut off it would go on for ever. */
export function isPassing(line: string): boolean {
  return line === THINKING || line === REST_COMES || /^(?:🔧|🔁|🗜|⏳|❓ The agent asks) /u.test(line);
}

/** `""` below five seconds, then steps that change seldom enough to be worth an edit each. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 5) return "";
  if (seconds < 60) return `${seconds - (seconds % 5)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds until `formatElapsed` says something else. */
export function untilElapsedChanges(ms: number): number {
  // A wall clock may be set back: what began in the future stays without a time until it has begun.
  if (ms < 5_000) return 5_000 - ms;
  const step = ms < 60_000 ? 5_000 : 60_000;
  return step - (ms % step);
}

const LONGEST_PIECE = 120;

function behindColon(text: string): string {
  const words = short(text).replace(/[.…]$/, "");
  return words === "" ? "" : `: ${words}`;
}

/** They hold up to the end of the line, and would turn evie's own words as well. */
const DIRECTIONS = /[\u2066-\u2069]/g;

/**
 * White space folded, without a terminal's escapes, cut between code points: pieces of tools and errors share a line
 * with evie's own words. Empty when nothing of it can be seen.
 */
function short(text: string): string {
  const line = cleanMarkdown(text).replace(DIRECTIONS, "").replace(/\s+/g, " ").trim();
  if (isBlank({ text: line })) return "";
  const points = Array.from(line);
  return points.length <= LONGEST_PIECE ? points.join("") : `${points.slice(0, LONGEST_PIECE - 1).join("")}…`;
}
