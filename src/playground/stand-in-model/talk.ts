import type { SeenImage, SeenMessage } from "./request.ts";
import { helpText, longText, markdownSample, thoughts } from "./samples.ts";
import type { Step } from "./step.ts";

/** Milliseconds between words: fast enough to wait for, slow enough to be seen streaming. */
const SPEAKING = 12;
/** The long answer takes its time, so that there is something to interrupt. */
const SPEAKING_SLOWLY = 25;
const LONGEST_QUOTE = 60;

/**
 * What the stand-in says to somebody who tries evie without a model: the steps that answer `asked`, of which `since`
 * tells how many were answered already and what the tools said. It obeys a few plain words and says otherwise what
 * it received. Only the last part of a message is read as an order, and only when it is one line: a word inside a
 * pasted page must not run anything.
 */
export function talk(
  asked: SeenMessage,
  since: readonly SeenMessage[],
  tools: readonly string[],
): readonly Step[] {
  const order = partsOf(asked.text).at(-1)?.trim() ?? "";
  const command = /^run[ \t]+(\S.*)$/i.exec(order)?.[1];
  if (command !== undefined) return runAndReport(command, since, tools);
  switch (order.toLowerCase().replace(/[.!]+$/, "")) {
    case "help":
      return [{ text: helpText, delayMs: SPEAKING }];
    case "markdown":
      return [{ text: markdownSample, delayMs: SPEAKING }];
    case "long":
      return [{ text: longText(), delayMs: SPEAKING_SLOWLY }];
    case "think":
      return [
        {
          think: thoughts,
          text: "I have thought about it, and I am still a stand-in.",
          delayMs: 4 * SPEAKING,
        },
      ];
    case "fail":
      return [{ status: 500 }];
    case "tool":
      return runAndReport("date; uname -sr; ls", since, tools);
    default:
      return [{ text: received(asked), delayMs: SPEAKING }];
  }
}

function runAndReport(
  command: string,
  since: readonly SeenMessage[],
  tools: readonly string[],
): readonly Step[] {
  if (!tools.includes("bash")) return [{ text: "I was given no bash tool, so I cannot run anything." }];
  const output = since.findLast(({ role }) => role === "tool")?.text ?? "";
  return [
    { text: "I will run that.", tools: [{ name: "bash", args: { command } }] },
    {
      text: `\`${command.replaceAll("`", "'")}\` said:\n\n${fenced(output)}`,
      delayMs: SPEAKING,
    },
  ];
}

/** Longer than any fence inside, or the output's own backticks would end the block. */
function fenced(output: string): string {
  const longest = Math.max(2, ...(output.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${output.trimEnd()}\n${fence}`;
}

function received({ text, images }: SeenMessage): string {
  const parts = partsOf(text);
  const lines = [
    `I am a stand-in for a model: I understand nothing, but I can tell what reached me.`,
    "",
    `- ${counted(text.length, "character")} in ${counted(parts.length, "part")}${parts.length === 0 ? "" : ":"}`,
    ...parts.map((part, index) => `  ${index + 1}. ${counted(part.length, "character")}: ${quoted(part)}`),
    `- ${counted(images.length, "picture")}${images.length === 0 ? "" : ":"}`,
    ...images.map((image, index) => `  ${index + 1}. ${described(image)}`),
    "",
    "Write **help** to see what I can show you.",
  ];
  return lines.join("\n");
}

/** Messages that were written one after the other reach the model as one, with a blank line between them. */
function partsOf(text: string): readonly string[] {
  return text.split(/\n[ \t]*\n\s*/).filter((part) => part.trim() !== "");
}

/** The part's beginning as code, so that nothing in it is taken for markdown. */
function quoted(part: string): string {
  const line = part.replaceAll("`", "'").replace(/\s+/g, " ").trim();
  // Cut between whole characters: half an emoji is a broken one in every chat.
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  const shown = characters.length <= LONGEST_QUOTE ? line : `${characters.slice(0, LONGEST_QUOTE).join("")}…`;
  return `\`${shown}\``;
}

function described({ mimeType, size }: SeenImage): string {
  return `${mimeType}, ${size < 1000 ? counted(size, "byte") : `${(size / 1000).toFixed(1)} kB`}`;
}

function counted(count: number, noun: string): string {
  return `${count === 0 ? "no" : count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
