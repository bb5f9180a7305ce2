import { checkLevels } from "../../domain/levels.ts";
import type { Malformed, Step, StepTool } from "./step.ts";
import { isObject, listOf } from "./json.ts";

const MARK = "MOCK";

/**
 * The steps that a message orders with `MOCK` and JSON right behind it: one step, or a list of them, of which the
 * first answers the message and each next one the request after (the agent asks again when its tools have run).
 * The last order in the text counts. Undefined when there is none. An order that cannot be read is answered with
 * a text that says why, because whoever wrote it wants to know.
 */
export function parseDirective(text: string): readonly Step[] | undefined {
  for (let at = text.lastIndexOf(MARK); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(MARK, at - 1)) {
    const json = jsonAt(text, at + MARK.length);
    if (json !== undefined) return readSteps(json);
  }
  return undefined;
}

/** The bracketed text that begins exactly at `start`, to its matching end. */
function jsonAt(text: string, start: number): string | undefined {
  if (text[start] !== "{" && text[start] !== "[") return undefined;
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return text.slice(start, at + 1);
    }
  }
  return undefined;
}

function readSteps(json: string): readonly Step[] {
  try {
    checkLevels(json);
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.map((each) => readStep(each)) : [readStep(value)];
  } catch (error) {
    return [{ text: `This order cannot be read: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

const KINDS_OF_MALFORMED: readonly Malformed[] = ["cut", "badjson", "html", "nofinish", "empty"];

/** A `Step` out of JSON. Throws an Error that names the field which is wrong. */
function readStep(value: unknown): Step {
  if (!isObject(value)) throw new Error("a step is an object");
  const step: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    if (!isGood(name, field)) throw new Error(`"${name}" is unknown, or is ${JSON.stringify(field)}`);
    step[name] = name === "then" ? readStep(field) : name === "tools" ? listOf(field).map(readTool) : field;
  }
  return step;
}

function isGood(name: string, field: unknown): boolean {
  switch (name) {
    case "text":
    case "finish":
    case "body":
      return typeof field === "string";
    case "n":
    case "size":
    case "delayMs":
    case "firstMs":
    case "times":
      return isAmount(field);
    case "status":
      return isAmount(field) && Number.isInteger(field) && field >= 200 && field < 600;
    case "think":
      return typeof field === "string" || isAmount(field);
    case "usage":
      return isObject(field) && Object.values(field).every(isAmount);
    case "malformed":
      return KINDS_OF_MALFORMED.some((kind) => kind === field);
    case "hang":
      return field === "connect" || field === "stream";
    case "tools":
      return Array.isArray(field);
    case "then":
      return isObject(field);
    default:
      return false;
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function readTool(value: unknown): StepTool {
  const { name, args, id } = isObject(value) ? value : {};
  if (typeof name !== "string") throw new Error('a tool needs a "name"');
  return { name, args: isObject(args) ? args : {}, ...(typeof id === "string" ? { id } : {}) };
}
