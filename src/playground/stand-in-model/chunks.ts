import type { Step } from "./step.ts";
import { textPieces, thinkingPieces } from "./step.ts";

/** Arguments of a tool travel in pieces of this many characters, as providers send them. */
const ARGS_PIECE = 24;

export interface AnswerContext {
  /** Names the answer, and with it the tool calls inside. */
  readonly id: string;
  readonly model: string;
  /** Tokens that the request is said to have cost. */
  readonly inputTokens: number;
}

/** A piece of the answer's body; the step's delay comes behind those that are `paced`. */
export interface AnswerPiece {
  readonly data: string;
  readonly paced: boolean;
}

/** The body of an answer as server-sent events of OpenAI's chat completions, up to where the step breaks it off. */
export function* answerPieces(step: Step, context: AnswerContext): Generator<AnswerPiece> {
  if (step.malformed === "empty") return;
  const chunk = (fields: object, paced = false): AnswerPiece => ({
    data: event(
      JSON.stringify({
        id: context.id,
        object: "chat.completion.chunk",
        created: 0,
        model: context.model,
        ...fields,
      }),
    ),
    paced,
  });
  const delta = (fields: object, paced = false): AnswerPiece =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: null }] }, paced);

  yield delta({ role: "assistant", content: "" });
  for (const piece of thinkingPieces(step)) yield delta({ reasoning_content: piece }, true);
  const pieces = textPieces(step);
  for (const piece of pieces) yield delta({ content: piece }, true);

  if (step.malformed === "cut" || step.hang === "stream") return;
  if (step.malformed === "badjson") {
    yield { data: event('{"id":"x","choices":[{"delta":{"content":"oops'), paced: false };
    return;
  }
  for (const [index, { name, args, id }] of (step.tools ?? []).entries()) {
    const call = { index, id: id ?? `call_${context.id}_${index + 1}`, type: "function" };
    yield delta({ tool_calls: [{ ...call, function: { name, arguments: "" } }] });
    for (const part of slices(JSON.stringify(args), ARGS_PIECE)) {
      yield delta({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  if (step.malformed === "nofinish") return;

  const input = step.usage?.input ?? context.inputTokens;
  const output = step.usage?.output ?? tokensOf(pieces.join(""));
  const finish = step.finish ?? ((step.tools ?? []).length > 0 ? "tool_calls" : "stop");
  yield chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  yield chunk({
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });
  yield { data: event("[DONE]"), paced: false };
}

/** A rough count, as everybody makes who has no tokenizer: four characters each, at least one. */
export function tokensOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

function event(data: string): string {
  return `data: ${data}\n\n`;
}

function slices(text: string, size: number): readonly string[] {
  const characters = Array.from(text);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}
