/** A call of one of the agent's tools. */
export interface StepTool {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Made up when left out. */
  readonly id?: string;
}

/** How an answer can be broken, each in a way that real providers have been seen to break theirs. */
export type Malformed =
  /** The connection is destroyed behind the text. */
  | "cut"
  /** Half a JSON record, then the end. */
  | "badjson"
  /** A web page with status 200. */
  | "html"
  /** The stream ends without a finish reason. */
  | "nofinish"
  /** The stream ends before it said anything. */
  | "empty";

/** What the model answers to one request. Everything is optional; nothing at all is an empty answer. */
export interface Step {
  /** Streamed in pieces the size of a word. */
  readonly text?: string;
  /** Without `text`: as many numbered pieces, each of `size` characters (6 when left out). */
  readonly n?: number;
  readonly size?: number;
  /** Milliseconds after each piece. */
  readonly delayMs?: number;
  /** Milliseconds before the answer's first byte. */
  readonly firstMs?: number;
  /** Thought before the text: words, or how many numbered pieces. */
  readonly think?: string | number;
  /** Several are called side by side. */
  readonly tools?: readonly StepTool[];
  /** The finish reason, in OpenAI's words, instead of the one that fits. */
  readonly finish?: string;
  /** Tokens to report; a quarter of the characters when left out. */
  readonly usage?: { readonly input?: number; readonly output?: number };
  /** An HTTP error instead of an answer; the first `times` times only, and `then` from there on. */
  readonly status?: number;
  /** The body of that error, as it is; one in OpenAI's shape when left out. */
  readonly body?: string;
  readonly times?: number;
  readonly then?: Step;
  readonly malformed?: Malformed;
  /** `connect` never answers; `stream` says its text and never ends. */
  readonly hang?: "connect" | "stream";
}

/** The pieces of the text, in order; joined they are the text to the character. */
export function textPieces(step: Step): readonly string[] {
  if (step.text !== undefined) return words(step.text);
  const size = Math.max(1, step.size ?? 6);
  return Array.from({ length: step.n ?? 0 }, (_, index) =>
    `w${String(index + 1).padStart(size - 2, "0")} `.slice(-size),
  );
}

/** The pieces of the thinking, in order. */
export function thinkingPieces({ think }: Step): readonly string[] {
  if (think === undefined) return [];
  if (typeof think === "string") return words(think);
  return Array.from({ length: think }, (_, index) => `t${index + 1} `);
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}
