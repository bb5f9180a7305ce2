import { fileLine, quoteName } from "../domain/file-line.ts";
import { escapeLabels } from "../domain/labels.ts";
import { joinTexts, type Prompt, type PromptFile, type PromptImage } from "../domain/prompt.ts";

/** What became of a file that a message carried. */
export type Attached =
  | { readonly type: "image"; readonly image: PromptImage }
  /** Saved under a name of evie's own. `remark` says why a picture goes as a file. */
  | { readonly type: "file"; readonly file: PromptFile; readonly remark?: string }
  /** Could not be had. `reason` is a clause, such as "it is larger than 20 MB". */
  | { readonly type: "missing"; readonly name: string; readonly reason: string };

/** One content message, its file settled. */
export interface Part {
  /** Text or caption, with its formatting as markdown; empty when there is none. */
  readonly text: string;
  /** A line of evie's own in front of the text: where it comes from (a reply, a quote, a forward), or that it is asked again. */
  readonly context?: string;
  readonly attached?: Attached;
  /** The file of the message that this one replies to; `here` when another part brings it. */
  readonly replied?: Attached | { readonly type: "here" };
}

/**
 * Makes one prompt of a burst's parts, in the order given. Texts are joined by a blank line, pictures and files
 * concatenated; a single text passes through to the character, but for
 * a bracket that would begin one of evie's own labels. Blank text adds nothing. A file that is not a
 * picture, or that could not be read, becomes one line at its part's place. So does what comes from a message replied to,
 * in front of the part's own; the pictures beside it have a line each, too, so that the agent can tell which is which.
 */
export function collate(parts: readonly Part[]): Prompt {
  const attached = parts.flatMap(({ replied, attached: own }) => [replied, own].filter(isAttached));
  const images = attached.flatMap((each) => (each.type === "image" ? [each.image] : []));
  const areMixed = images.length > 1 && parts.some(({ replied }) => replied?.type === "image");
  return {
    text: joinTexts(parts.map((part) => partText(part, areMixed))),
    images,
    files: attached.flatMap((each) => (each.type === "file" ? [each.file] : [])),
  };
}

function isAttached(value: Part["replied"]): value is Attached {
  return value !== undefined && value.type !== "here";
}

function partText({ text: written, context, attached, replied }: Part, namesPictures: boolean): string {
  const text = escapeLabels(written);
  const above = [context, replied && repliedLine(replied)].filter((line) => line !== undefined);
  const said = above.length === 0 ? text : `${above.join("\n")}\n${text}`.trimEnd();
  const line = attached && attachedLine(attached, namesPictures);
  return line === undefined ? said : joinTexts([said, line]);
}

/** One line for the agent; undefined for a picture, which goes with the prompt itself, where that needs no word. */
function attachedLine(attached: Attached, namesPictures: boolean): string | undefined {
  if (attached.type !== "image") return lineOf(attached, "");
  return namesPictures ? "[Picture sent with this message: attached]" : undefined;
}

/** The agent must not take an earlier message's file for one that the person sends now. */
function repliedLine(replied: NonNullable<Part["replied"]>): string {
  switch (replied.type) {
    case "here":
      return "[The file of the message replied to is part of this prompt]";
    case "image":
      return "[Picture of the message replied to: attached]";
    default:
      return lineOf(replied, " of the message replied to");
  }
}

function lineOf(attached: Exclude<Attached, { readonly type: "image" }>, whose: string): string {
  return attached.type === "missing"
    ? `[File ${quoteName(attached.name)}${whose} is missing: ${attached.reason}]`
    : fileLine(attached.file, attached.remark, whose);
}
