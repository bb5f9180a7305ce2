import type { MessageEntity } from "./shapes.ts";

/** Endings that make a bare name a link; the server's own list is longer. A file name such as `README.md` is one too. */
const DOMAINS =
  "com|org|net|io|dev|app|ai|co|me|info|ru|de|uk|eu|fr|it|es|nl|pl|md|sh|py|rs|so|is|to|cc|zip|xyz|tech|gg|link";

const WORD = String.raw`\p{L}\p{N}_`;

/** As TDLib's `match_bot_commands` and its neighbours find them; the earlier kind wins where two overlap. */
const MARKS: readonly { readonly type: string; readonly pattern: RegExp }[] = [
  {
    type: "url",
    pattern: new RegExp(
      String.raw`(?<![${WORD}@./-])(?:https?:\/\/[^\s<>"«»]+|(?:[\p{L}\p{N}-]+\.)+(?:${DOMAINS})(?![${WORD}@-])(?:[/?#][^\s<>"«»]*)?)`,
      "giu",
    ),
  },
  { type: "email", pattern: /(?<![\p{L}\p{N}_.+-])[a-z0-9_.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/giu },
  { type: "mention", pattern: new RegExp(`(?<![${WORD}])@[A-Za-z0-9_]{2,32}(?![${WORD}])`, "gu") },
  {
    type: "bot_command",
    // The bounds look at whole words: `/home/me` holds no command, since a slash follows and a letter precedes.
    pattern: new RegExp(
      `(?<![${WORD}/<>])/[A-Za-z0-9_]{1,64}(?![A-Za-z0-9_])(?:@[A-Za-z0-9_]{3,32}(?![A-Za-z0-9_])|(?!@))(?![${WORD}/<>])`,
      "gu",
    ),
  },
  {
    type: "hashtag",
    pattern: new RegExp(`(?<![${WORD}])#(?=[${WORD}]*\\p{L})[${WORD}]{1,256}(?![${WORD}#])`, "gu"),
  },
];

/** What the server marks by itself in what a person wrote: links, addresses, mentions, commands and hashtags. */
export function findMarks(text: string): readonly MessageEntity[] {
  const found: MessageEntity[] = [];
  for (const { type, pattern } of MARKS) {
    for (const match of text.matchAll(pattern)) {
      const length = type === "url" ? match[0].replace(/[.:;,('?!`)]+$/, "").length : match[0].length;
      const entity = { type, offset: match.index, length };
      const taken = found.some(
        (other) => other.offset < entity.offset + length && entity.offset < other.offset + other.length,
      );
      if (!taken) found.push(entity);
    }
  }
  return found.toSorted((a, b) => a.offset - b.offset);
}
