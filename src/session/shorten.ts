import type { Content, Message } from "../domain/events.ts";
import { clip, clipStart } from "../domain/text.ts";

/** Characters that long texts are cut to, one after the other until it is enough. */
export const LENGTHS = [65_536, 16_384, 8_192, 4_096, 2_048, 1_024, 256] as const;

/** Parts of a message that are left at its begin, and as many at its end, where it has thousands. */
const PARTS_LEFT = 100;

/** The beginning and the end of a text of more than `length` characters, half of that each, with a mark between them. */
export function headAndTail(text: string, length: number): string {
  const half = Math.floor(length / 2);
  const left = text.length - 2 * half;
  const mark = `\n[… ${left} characters left out …]\n`;
  return left <= mark.length ? text : `${clip(text, half)}${mark}${clipStart(text, half)}`;
}

/** The message with none of its texts much longer than `length` characters, and said to be shortened when one was. */
export function shortenMessage(message: Message, length: number): Message {
  const content = message.content.map((part) => shortenPart(part, length));
  return content.every((part, at) => part === message.content[at])
    ? message
    : { ...message, content, shortened: true };
}

function shortenPart(part: Content, length: number): Content {
  switch (part.type) {
    case "text":
    case "thinking": {
      const text = headAndTail(part.text, length);
      return text === part.text ? part : { ...part, text };
    }
    case "toolCall": {
      const args = headAndTail(part.args, length);
      return args === part.args ? part : { ...part, args };
    }
    case "image":
      return part;
  }
}

/** The message within `bytes` of JSON: as it is where it fits, else with its long texts shortened as far as it takes. */
export function fitMessage(message: Message, bytes: number): Message {
  let fitting = message;
  for (const length of LENGTHS) {
    if (bytesOf(fitting) <= bytes) return fitting;
    fitting = shortenMessage(message, length);
  }
  if (bytesOf(fitting) <= bytes) return fitting;
  const { content } = fitting;
  const left = content.length - 2 * PARTS_LEFT;
  if (left <= 0) return fitting;
  const mark: Content = { type: "text", text: `[… ${left} parts left out …]` };
  return {
    ...fitting,
    content: [...content.slice(0, PARTS_LEFT), mark, ...content.slice(-PARTS_LEFT)],
    shortened: true,
  };
}

/** Bytes of JSON. */
export function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
