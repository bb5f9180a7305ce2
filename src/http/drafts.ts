import { rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileLine } from "../domain/file-line.ts";
import { escapeLabels } from "../domain/labels.ts";
import type { Log } from "../domain/log.ts";
import { whyAsFile } from "../domain/picture-size.ts";
import {
  joinTexts,
  type Prompt,
  type PromptDraft,
  type PromptFile,
  type PromptImage,
} from "../domain/prompt.ts";
import type { WireImage } from "../domain/wire.ts";
import { Refusal } from "./refusal.ts";

export interface DraftsOptions {
  /** Where pictures lie until their turn has ended. */
  readonly folder: string;
  /** Evie's own folder for files: what of the pictures goes as a file lies there and outlives its turn. */
  readonly filesFolder: string;
  /** Where the paths are noted of what a prompt that waits or runs may name. */
  readonly inUse?: Set<string>;
  readonly log: Log;
}

/** Makes drafts of what came with a request. Throws a Refusal for what is no prompt. */
export type MakeDraft = (request: {
  readonly text: string;
  readonly images?: readonly WireImage[] | undefined;
}) => PromptDraft;

export function createDrafts({ folder, filesFolder, inUse, log }: DraftsOptions): MakeDraft {
  return ({ text, images = [] }) => {
    if (text.trim() === "" && images.length === 0)
      throw new Refusal(
        400,
        "empty_prompt",
        "There is nothing to ask: the text is empty, and there are no pictures.",
      );
    const pictures = images.map(({ data }, index): Picture => {
      const bytes = Buffer.from(data, "base64");
      const mimeType = pictureType(bytes);
      if (mimeType === undefined)
        throw new Refusal(
          400,
          "bad_image",
          `Picture ${index + 1} is no JPEG, PNG, WebP or GIF in base64. Convert it first.`,
        );
      const remark = whyAsFile(bytes, mimeType);
      if (remark === undefined)
        return { bytes, image: { mimeType, path: join(folder, crypto.randomUUID()) } };
      const ending = mimeType.slice("image/".length);
      const path = join(filesFolder, `${crypto.randomUUID()}.${ending}`);
      return {
        bytes,
        remark,
        file: { path, name: `picture-${index + 1}.${ending}`, size: bytes.length },
      };
    });
    const prompt = ready(escapeLabels(text), pictures, folder, log);
    // The bytes are on the disk then: a turn that runs for hours holds none of them.
    const imagePaths = pictures.flatMap(({ image }) => image?.path ?? []);
    const filePaths = pictures.flatMap(({ file }) => file?.path ?? []);
    for (const path of [...imagePaths, ...filePaths]) inUse?.add(path);
    let isStored = false;
    let isReleased = false;
    const remove = (): void => {
      try {
        // At once: who is told that the turn has ended finds no picture of it.
        for (const path of imagePaths) rmSync(path, { force: true });
      } catch (error) {
        log.warn({ err: error }, "a picture could not be removed");
      }
    };
    /** No agent was told of them. */
    const removeFiles = (): void => {
      try {
        for (const path of filePaths) rmSync(path, { force: true });
      } catch (error) {
        log.warn({ err: error }, "a file could not be removed");
      }
    };
    void prompt.then(() => {
      isStored = true;
      if (!isReleased) return;
      remove();
      removeFiles();
    });
    return {
      whole: { text, images },
      ready: prompt,
      release() {
        isReleased = true;
        for (const path of [...imagePaths, ...filePaths]) inUse?.delete(path);
        // Else what is being written now would stay.
        if (isStored) remove();
      },
    };
  };
}

/** A picture as it came, and as what it goes to the agent. */
type Picture = { readonly bytes: Buffer } & (
  | { readonly image: PromptImage; readonly file?: never }
  | { readonly file: PromptFile; readonly remark: string; readonly image?: never }
);

async function ready(text: string, pictures: readonly Picture[], folder: string, log: Log): Promise<Prompt> {
  try {
    if (pictures.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const { bytes, image, file } of pictures)
      await writeFile((image ?? file).path, bytes, { mode: 0o600 });
    const lines = pictures.flatMap((each) =>
      each.file === undefined ? [] : [fileLine(each.file, each.remark)],
    );
    return {
      text: lines.length === 0 ? text : joinTexts([text, ...lines]),
      images: pictures.flatMap(({ image }) => image ?? []),
      files: pictures.flatMap(({ file }) => file ?? []),
    };
  } catch (error) {
    log.error({ err: error }, "the pictures of a prompt could not be stored");
    const line = "[The pictures that belong here could not be stored on this machine.]";
    return { text: text.trim() === "" ? line : `${text}\n\n${line}`, images: [], files: [] };
  }
}

/** By its first bytes: what a sender calls it is only a word, and a wrong one makes a provider refuse the prompt. */
function pictureType(bytes: Buffer): PromptImage["mimeType"] | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(head)) return "image/gif";
  if (/^RIFF[^]{4}WEBP/.test(head)) return "image/webp";
  return undefined;
}
