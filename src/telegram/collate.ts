import { joinTexts, type Prompt, type PromptFile, type PromptImage } from "../domain/prompt.ts";
import { formatBytes } from "./words.ts";

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
  /** A labelled line that says where the text comes from (a reply, a quote, a forward). */
  readonly context?: string;
  readonly attached?: Attached;
}

/**
 * Makes one prompt of a burst's parts, in the order given. Texts are joined by a blank line, pictures and files
 * concatenated; a single text passes through to the character. Blank text adds nothing. A file that is not a
 * picture, or that could not be read, becomes one line at its part's place.
 */
export function collate(parts: readonly Part[]): Prompt {
  const attached = parts.flatMap((part) => part.attached ?? []);
  return {
    text: joinTexts(parts.map(partText)),
    images: attached.flatMap((each) => (each.type === "image" ? [each.image] : [])),
    files: attached.flatMap((each) => (each.type === "file" ? [each.file] : [])),
  };
}

function partText({ text, context, attached }: Part): string {
  const said = context === undefined ? text : `${context}\n${text}`.trimEnd();
  const line = attached === undefined ? undefined : attachedLine(attached);
  return line === undefined ? said : joinTexts([said, line]);
}

/** One line for the agent; undefined for a picture, which goes with the prompt itself. */
function attachedLine(attached: Attached): string | undefined {
  switch (attached.type) {
    case "image":
      return undefined;
    case "file": {
      const { path, name, size } = attached.file;
      const remark = attached.remark === undefined ? "" : `, ${attached.remark}`;
      return `[File ${quoteName(name)} (${formatBytes(size)}${remark}) is at ${path}]`;
    }
    case "missing":
      return `[File ${quoteName(attached.name)} is missing: ${attached.reason}]`;
  }
}

/** Names come from strangers: as a JSON string one stays on its line and shows what would be invisible. */
export function quoteName(name: string): string {
  return JSON.stringify(name).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
