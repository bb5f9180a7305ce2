import type { FormattedText } from "../../src/telegram/entities.ts";

/** The text with each entity's range in braces behind its type, so that a table of tests can be read. */
export function braced({ text, entities }: FormattedText): string {
  const marks = entities.flatMap((entity, at) => {
    const detail =
      entity.type === "text_link"
        ? ` ${entity.url}`
        : entity.type === "pre" && entity.language !== undefined
          ? ` ${entity.language}`
          : "";
    const end = entity.offset + entity.length;
    return [
      { at: entity.offset, order: at, text: `{${entity.type}${detail}: ` },
      { at: end, order: -1 - at, text: "}" },
    ];
  });
  const sorted = marks.sort((a, b) => a.at - b.at || a.order - b.order);
  let shown = "";
  let done = 0;
  for (const mark of sorted) {
    shown += text.slice(done, mark.at) + mark.text;
    done = mark.at;
  }
  return shown + text.slice(done);
}
