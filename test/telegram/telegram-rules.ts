import type { Entity, FormattedText } from "../../src/telegram/entities.ts";

/** What Telegram would object to, or silently change, in a text and its entities. */
export function faults({ text, entities }: FormattedText): readonly string[] {
  const found: string[] = [];
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text)) found.push("a control character");
  if (!text.isWellFormed()) found.push("a lone surrogate");
  entities.forEach((entity, at) => {
    const inCode = entities.some(({ type, offset }) => type === "pre" && offset === entity.offset);
    found.push(
      ...rangeFaults(text, entity, inCode),
      ...entities.slice(at + 1).flatMap((other) => overlapFaults(entity, other)),
    );
  });
  return found;
}

/** Code may begin with its first line's indentation. */
function rangeFaults(text: string, { type, offset, length }: Entity, inCode: boolean): readonly string[] {
  const inside = text.slice(offset, offset + length);
  const found: string[] = [];
  if (offset < 0 || length < 1 || offset + length > text.length) found.push(`${type} outside of the text`);
  if (/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(inside)) found.push(`${type} cuts a character`);
  if (inside.trimEnd() !== inside) found.push(`${type} ends with white space`);
  if (inCode ? inside.startsWith("\n") : inside.trimStart() !== inside) {
    found.push(`${type} begins with white space`);
  }
  return found;
}

const alone = new Set(["code", "pre"]);
const monospaceOrLink = new Set(["code", "pre", "text_link"]);

function overlapFaults(first: Entity, second: Entity): readonly string[] {
  const found: string[] = [];
  const firstEnd = first.offset + first.length;
  const secondEnd = second.offset + second.length;
  if (first.offset > second.offset) found.push("entities out of order");
  if (second.offset >= firstEnd) return found;
  const both = `${first.type} and ${second.type}`;
  if (secondEnd > firstEnd) found.push(`${both} cross`);
  if (first.type === second.type) found.push(`${both} twice`);
  if (alone.has(first.type)) found.push(`${both} overlap`);
  if (alone.has(second.type) && first.type !== "blockquote") found.push(`${both} overlap`);
  if (monospaceOrLink.has(first.type) && monospaceOrLink.has(second.type)) found.push(`${both} overlap`);
  return found;
}
