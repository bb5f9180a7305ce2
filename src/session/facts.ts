import type { Message, Usage } from "../domain/events.ts";
import type { ChatPlace } from "../domain/ids.ts";
import type { TurnState } from "../domain/transcript.ts";
import type { SessionInfo, SessionPhase } from "../domain/wire.ts";

/** Characters of a name that was made of a prompt. */
const LONGEST_NAME = 60;

/** What a session is called after its first prompt: that prompt's first line that says something; empty without one. */
export function nameOf(prompt: Message): string {
  const line = textOf(prompt)
    .split("\n")
    .map((text) => text.replace(/\s+/g, " ").trim())
    .find((text) => text !== "");
  const characters = Array.from((line ?? "").toWellFormed());
  return characters.length <= LONGEST_NAME
    ? characters.join("")
    : `${characters.slice(0, LONGEST_NAME - 1).join("")}…`;
}

/** What a message says, without its thoughts, tools and pictures. */
export function textOf({ content }: Message): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export function addUsage(sum: Usage | undefined, more: Usage): Usage {
  if (sum === undefined) return more;
  return {
    input: sum.input + more.input,
    output: sum.output + more.output,
    cacheRead: sum.cacheRead + more.cacheRead,
    cacheWrite: sum.cacheWrite + more.cacheWrite,
    cost: sum.cost + more.cost,
  };
}

/** What a session is doing. */
export function phaseOf(turn: TurnState | undefined, asks: boolean, failed: boolean): SessionPhase {
  if (asks) return "waiting";
  if (turn !== undefined && turn.outcome === undefined) return "running";
  return failed ? "failed" : "idle";
}

/** A chat as a line of the session list names it. */
export function placeOf({ chatId, threadId }: ChatPlace): NonNullable<SessionInfo["chat"]> {
  return threadId === undefined ? { id: chatId } : { id: chatId, threadId };
}
