import { isRecord } from "../jsonl.ts";
import { oneLine } from "./one-line.ts";

/** Characters of a summary: one quiet line on a phone. */
const LONGEST_SUMMARY = 80;

/** One short line for people that says what a tool was called for: the command, the file, or its arguments. */
export function toolSummary(toolName: string, args: unknown): string {
  return oneLine(subject(toolName, args), LONGEST_SUMMARY);
}

function subject(toolName: string, args: unknown): string {
  if (!isRecord(args)) return args === undefined ? "" : JSON.stringify(args);
  const { command, path } = args;
  switch (toolName) {
    case "bash":
      if (typeof command === "string") return firstLine(command);
      break;
    case "read":
    case "edit":
    case "write":
      if (typeof path === "string") return path;
      break;
    default:
  }
  return Object.keys(args).length === 0 ? "" : JSON.stringify(args);
}

/** The first line that says something; an ellipsis tells that there are more. */
function firstLine(command: string): string {
  const [first = "", ...more] = command.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  return more.length === 0 ? first : `${first.trimEnd()} …`;
}
