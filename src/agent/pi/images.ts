import { readFile } from "node:fs/promises";
import type { PromptImage } from "../../domain/prompt.ts";

/** A picture as pi takes it. */
export interface PiImage {
  readonly type: "image";
  /** Base64, without a `data:` prefix: with one, pi drops the picture and says nothing. */
  readonly data: string;
  readonly mimeType: string;
}

/** Reads the pictures of a prompt, in order. Never rejects: what could not be read is told by its error. */
export async function readImages(
  images: readonly PromptImage[],
): Promise<{ readonly read: readonly PiImage[]; readonly errors: readonly unknown[] }> {
  const results = await Promise.allSettled(
    images.map(async ({ path, mimeType }): Promise<PiImage> => {
      return { type: "image", data: await readFile(path, "base64"), mimeType };
    }),
  );
  return {
    read: results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
    errors: results.flatMap((result): unknown[] => (result.status === "rejected" ? [result.reason] : [])),
  };
}
