import type { Message, Notice } from "../domain/events.ts";
import { joinTexts } from "../domain/prompt.ts";
import { endOf, type Transcript } from "../domain/transcript.ts";
import { concatFormatted, type FormattedText, isBlank, sliceFormatted } from "./entities.ts";
import { countEntities } from "./entity-count.ts";
import { messageLimits, paginate } from "./paginate.ts";
import {
  EMPTY_ANSWER,
  isPassing,
  moreRemarks,
  noticeLine,
  outcomeLine,
  PLACEHOLDER,
  STEP_CUT,
  THINKING,
  toolLine,
  untilElapsedChanges,
} from "./words.ts";

/** What the person should see of one turn. */
export interface View {
  /** The agent's answer so far: what it said to the person in each step, as markdown. Steps that say nothing are left out. */
  readonly answer: readonly string[];
  /** Evie's own lines below it, each quiet and short. */
  readonly lines: readonly string[];
  /** The turn has ended: this is what stays. */
  readonly final: boolean;
}

/** Says what a turn's messages should show at `at`, in milliseconds since 1970. A turn without a trace shows nothing. */
export function viewOf(transcript: Transcript, at: number): View {
  const answer = answerOf(transcript);
  const outcome = endOf(transcript.turn);
  const remarks = [...remarkLines(transcript.remarks), ...stepCutLines(transcript)];
  if (outcome === undefined) {
    const status = statusLine(transcript, at);
    const lines = status === undefined ? remarks : [...remarks, status];
    return { answer, lines: answer.length === 0 && lines.length === 0 ? [PLACEHOLDER] : lines, final: false };
  }
  const traceless = answer.length === 0 && remarks.length === 0;
  if (traceless && (outcome.type === "replaced" || outcome.type === "stopped")) {
    return { answer, lines: [], final: true };
  }
  const line = outcomeLine(outcome) ?? (answer.length === 0 ? EMPTY_ANSWER : undefined);
  return { answer, lines: line === undefined ? remarks : [...remarks, line], final: true };
}

/** Lines of extensions that a turn shows. One that fails at each word of a long answer would fill thirty messages. */
export const MOST_EXTENSION_LINES = 5;

/** One line for each remark, in order. What is said again needs no second line. */
function remarkLines(remarks: readonly Notice[]): readonly string[] {
  const typeOf = new Map(remarks.map((remark) => [noticeLine(remark), remark.type]));
  const lines = [...typeOf.keys()];
  const tooMany = lines
    .filter((line) => typeOf.get(line) === "extension_message")
    .slice(MOST_EXTENSION_LINES);
  if (tooMany.length === 0) return lines;
  const leftOut = new Set(tooMany);
  return [...lines.filter((line) => !leftOut.has(line)), moreRemarks(tooMany.length)];
}

/** Says that words above the last step are not whole, unless the outcome says so of all. */
function stepCutLines({ messages, turn }: Transcript): readonly string[] {
  if (turn?.outcome?.type === "done" && turn.outcome.cut !== undefined) return [];
  const isCut = messages
    .filter(isAnswer)
    .slice(0, -1)
    .some((message) => message.stopReason === "length" && !isBlank({ text: textOf(message) }));
  return isCut ? [STEP_CUT] : [];
}

/** What cannot be seen is as good as nothing. */
function answerOf({ messages }: Transcript): readonly string[] {
  return messages
    .filter(isAnswer)
    .map(textOf)
    .filter((text) => !isBlank({ text }));
}

/** Whether the agent has said anything in this turn that a person would read. */
export function hasAnswer(transcript: Transcript): boolean {
  return answerOf(transcript).length > 0;
}

function isAnswer(message: Message): boolean {
  return message.role === "assistant";
}

function textOf({ content }: Message): string {
  return joinTexts(content.map((part) => (part.type === "text" ? part.text : "")));
}

/** What the agent is doing, where its words do not show it. */
function statusLine(transcript: Transcript, at: number): string | undefined {
  if (transcript.notice !== undefined) return noticeLine(transcript.notice);
  const tools = toolLine(runningTools(transcript), at);
  if (tools !== undefined) return tools;
  const last = transcript.messages.at(-1);
  const thinks =
    last?.role === "assistant" && last.stopReason === "pending" && last.content.at(-1)?.type === "thinking";
  return thinks ? THINKING : undefined;
}

function runningTools({ tools }: Transcript) {
  return tools.filter((tool) => tool.endedAt === undefined);
}

/** Milliseconds from `at` until the view changes without any event, because time is shown in it. */
export function untilViewChanges(transcript: Transcript, at: number): number | undefined {
  if (endOf(transcript.turn) !== undefined || transcript.notice !== undefined) return undefined;
  const latest = runningTools(transcript).at(-1);
  return latest === undefined ? undefined : untilElapsedChanges(at - latest.startedAt);
}

/**
 * Puts evie's lines below the last page of the answer, in italics. Where they do not fit, those that stay get a
 * message of their own, or several; those that pass are left out, since a message that comes and goes would jump.
 */
export function withLines(
  pages: readonly FormattedText[],
  lines: readonly string[],
  final: boolean,
): readonly FormattedText[] {
  if (lines.length === 0) return pages;
  const below = quiet(lines.join("\n"));
  const last = pages.at(-1);
  if (last === undefined) return paginate(below);
  const joined = concatFormatted([last, { text: "\n\n", entities: [] }, below]);
  const fits =
    joined.text.length <= messageLimits.units && countEntities(joined.entities) <= messageLimits.entities;
  if (!fits) return final ? [...pages, ...paginate(below)] : pages;
  return [...pages.slice(0, -1), joined];
}

/** A page that was shown, without those of evie's lines below it that pass. Without a text when it has nothing else. */
export function withoutPassing(page: FormattedText): FormattedText {
  const below = page.entities.at(-1);
  if (below?.type !== "italic" || below.offset + below.length < page.text.length) return page;
  const lines = page.text.slice(below.offset).split("\n");
  const staying = lines.filter((line) => !isPassing(line));
  if (staying.length === lines.length) return page;
  const answer = sliceFormatted(page, 0, page.text.slice(0, below.offset).trimEnd().length);
  const [left] = withLines(isBlank(answer) ? [] : [answer], staying, true);
  return left ?? { text: "", entities: [] };
}

/** The placeholder alone is not set in italics: three slanted dots look like a fault. */
function quiet(text: string): FormattedText {
  if (text === PLACEHOLDER) return { text, entities: [] };
  return { text, entities: [{ type: "italic", offset: 0, length: text.length }] };
}
