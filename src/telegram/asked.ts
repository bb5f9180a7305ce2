import type { Content, Face } from "../domain/events.ts";
import type { Transcript } from "../domain/transcript.ts";
import type { FormattedText } from "./entities.ts";
import { askedWords, ELSEWHERE } from "./words.ts";

/**
 * What was asked in a turn that was begun elsewhere, as one quoted line: the chat would show an answer without its
 * question. Undefined for a turn of the chat's own, and until the agent has taken the prompt.
 */
export function askedElsewhere(face: Face | undefined, { messages }: Transcript): FormattedText | undefined {
  if (face === undefined || face === "telegram") return undefined;
  const asked = messages.find(({ role }) => role === "user");
  if (asked === undefined) return undefined;
  const text = askedWords(face, wordsOf(asked.content), asked.content.some(isImage));
  return { text, entities: [{ type: "blockquote", offset: 0, length: text.length }] };
}

/** Whether a message of evie's is such a line. */
export function isAsked({ text, entities: [entity, ...others] }: FormattedText): boolean {
  return (
    entity?.type === "blockquote" &&
    entity.length === text.length &&
    others.length === 0 &&
    Object.values(ELSEWHERE).some((where) => text.startsWith(`${where}: `))
  );
}

function wordsOf(content: readonly Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
}

function isImage({ type }: Content): boolean {
  return type === "image";
}
