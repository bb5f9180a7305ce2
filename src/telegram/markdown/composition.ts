import type { FormattedText } from "../entities.ts";
import { cleanCode, cleanText } from "./clean.ts";
import { settleMarks, type Mark, type Style } from "./marks.ts";

/** A message's text while it is written. */
export interface Composition {
  readonly length: number;
  /** What was written from an offset on. */
  since(offset: number): string;
  write(text: string): void;
  /** Writes code: no indentation is added, and tabs are worth four columns. */
  writeCode(code: string): void;
  /** Gives everything that `body` writes a style. */
  styled(style: Style, body: () => void): void;
  /** Indents every line that `body` begins. */
  indented(by: string, body: () => void): void;
  finish(): FormattedText;
}

export function createComposition(): Composition {
  let text = "";
  let indentation = "";
  const marks: Mark[] = [];
  return {
    get length() {
      return text.length;
    },
    since: (offset) => text.slice(offset),
    write(piece) {
      const cleaned = cleanText(piece);
      text += indentation === "" ? cleaned : cleaned.replace(/\n(?!\n)/g, `\n${indentation}`);
    },
    writeCode(code) {
      text += cleanCode(code);
    },
    styled(style, body) {
      const start = text.length;
      body();
      marks.push({ style, start, end: text.length });
    },
    indented(by, body) {
      const outer = indentation;
      indentation += by;
      body();
      indentation = outer;
    },
    finish: () => settleMarks(text, marks),
  };
}
