import { clip } from "../domain/text.ts";

/** Part of a file that an edit puts in another's place. */
export interface Edit {
  readonly before: string;
  readonly after: string;
}

/** What a tool was called with, as far as the deck shows it better than as JSON. */
export interface ToolCall {
  /** One line that says what it is about: the command, the file. */
  readonly summary: string;
  /** The file that is written. */
  readonly path?: string;
  readonly edits: readonly Edit[];
  /** A command of several lines, whole. */
  readonly command?: string;
  /** Anything else, as indented JSON. */
  readonly rest?: string;
}

/** Reads the arguments of a call. `args` may be JSON that is still being written: then only its beginning is shown. */
export function readToolCall(name: string, args: string): ToolCall {
  const read = parse(args);
  if (read === undefined) return { summary: oneLine(args), edits: [] };
  const { path, command } = read;
  if (typeof command === "string") {
    const summary = oneLine(command);
    return { summary, edits: [], ...(summary === command ? {} : { command }) };
  }
  if (typeof path === "string") {
    const edits = editsOf(name, read);
    const rest = Object.keys(read).some((key) => key !== "path") && edits.length === 0;
    return { summary: path, path, edits, ...(rest ? { rest: JSON.stringify(read, undefined, 2) } : {}) };
  }
  if (Object.keys(read).length === 0) return { summary: "", edits: [] };
  return { summary: oneLine(JSON.stringify(read)), edits: [], rest: JSON.stringify(read, undefined, 2) };
}

/** pi's `edit` has `edits: { oldText, newText }[]`, older ones the two texts themselves; `write` has `content`. */
function editsOf(name: string, args: Readonly<Record<string, unknown>>): readonly Edit[] {
  const { edits, content } = args;
  if (name === "write" && typeof content === "string") return [{ before: "", after: content }];
  return (Array.isArray(edits) ? edits : [args]).flatMap((edit: unknown) => {
    if (!isRecord(edit)) return [];
    const { oldText, newText } = edit;
    return typeof oldText === "string" && typeof newText === "string"
      ? [{ before: oldText, after: newText }]
      : [];
  });
}

function parse(args: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(args);
    return isRecord(read) ? read : undefined;
  } catch {
    // It is still being written.
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const LONGEST_SUMMARY = 200;

function oneLine(text: string): string {
  return clip(text.replace(/\s+/g, " ").trim(), LONGEST_SUMMARY);
}
