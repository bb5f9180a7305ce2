import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GrammyError } from "grammy";
import type { Clock } from "../domain/clock.ts";
import { formatBytes } from "../domain/file-line.ts";
import { diskTroubleOf, diskTroubleWords } from "../domain/disk.ts";
import type { Log } from "../domain/log.ts";
import { whyAsFile } from "../domain/picture-size.ts";
import type { PromptImage } from "../domain/prompt.ts";
import type { FileReference } from "./carried-file.ts";
import type { Attached } from "./collate.ts";
import { startDeadline } from "./deadline.ts";
import { request } from "./transport.ts";

/** Bytes: what Telegram lets a bot download (`MAX_DOWNLOAD_FILE_SIZE` of its server). */
export const LARGEST_DOWNLOAD = 20 * 1024 * 1024;

/** Bytes: a larger picture goes to the agent as a file; the agent would need seconds and half a gigabyte to shrink it. */
export const LARGEST_IMAGE = 10 * 1_000_000;

/** Milliseconds without a single byte after which a download counts as failed. */
const STALLED_AFTER = 30_000;
/** Milliseconds to find out where a file is. */
const LOCATE_DEADLINE = 15_000;
/** How often a file is fetched before it counts as missing, and the milliseconds between. */
const ATTEMPTS = 3;
const RETRY_WAIT = 1_000;
/** Milliseconds: a longer rest, when Telegram asks for one, is not waited for by the turn. */
const LONGEST_REST = 60_000;

/** A file that is being fetched. */
export interface Attachment {
  readonly file: FileReference;
  /** Never rejects: a file that cannot be had is told as missing. */
  readonly settled: Promise<Attached>;
  /** Stops the download. A picture's file is removed; any other stays with its session. Idempotent. */
  release(): void;
  readonly released: boolean;
}

export interface AttachmentsOptions {
  /** Where a file is: the path under the download address. Rejects with Telegram's description. */
  readonly locate: (fileId: string, signal: AbortSignal) => Promise<string>;
  /** The address that paths are under. It holds the token: it is never logged or shown. */
  readonly downloadRoot: string;
  /** Evie's own folder for files, of mode 0700. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

export type FetchAttachment = (file: FileReference) => Attachment;

export interface Attachments {
  (file: FileReference): Attachment;
  /** The files that prompts which wait or run may name. */
  readonly inUse: ReadonlySet<string>;
}

/** Why a file could not be had, as a clause for people: "it is larger than 20 MB". */
class MissingFileError extends Error {
  override readonly name = "MissingFileError";
}

function failureOf(error: unknown): string {
  const trouble = diskTroubleOf(error);
  return trouble === undefined ? "the download failed" : diskTroubleWords(trouble, "evie's files").reason;
}

/** Starts to fetch files at once, each beside all others and beside the burst's window. */
export function createAttachments(options: AttachmentsOptions): Attachments {
  const { folder, clock, log } = options;
  const inUse = new Set<string>();

  async function fetchFile(file: FileReference, path: string, signal: AbortSignal): Promise<Attached> {
    try {
      if (file.size !== undefined && file.size > LARGEST_DOWNLOAD) throw tooLarge();
      await retrying(() => download(options, file, path, signal), clock, signal);
      return await recognise(file, path);
    } catch (error) {
      const reason = error instanceof MissingFileError ? error.message : failureOf(error);
      if (!signal.aborted) log.warn({ err: error }, "a file could not be fetched");
      await rm(path, { force: true }).catch((failure: unknown) =>
        log.warn({ err: failure }, "a file stays behind"),
      );
      return { type: "missing", name: file.name, reason };
    }
  }

  const fetchAttachment: FetchAttachment = (file) => {
    const released = new AbortController();
    const path = join(folder, `${randomUUID()}${safeExtension(file.name)}`);
    inUse.add(path);
    const settled = fetchFile(file, path, released.signal);
    return {
      file,
      settled,
      get released() {
        return released.signal.aborted;
      },
      release() {
        if (released.signal.aborted) return;
        released.abort();
        inUse.delete(path);
        void settled.then(async (attached) => {
          if (attached.type !== "image") return;
          await rm(attached.image.path, { force: true }).catch((error: unknown) =>
            log.warn({ err: error }, "a picture's file stays behind"),
          );
        });
      },
    };
  };
  return Object.assign(fetchAttachment, { inUse });
}

async function download(
  { locate, downloadRoot, clock }: AttachmentsOptions,
  file: FileReference,
  path: string,
  released: AbortSignal,
): Promise<void> {
  const locating = startDeadline(clock, LOCATE_DEADLINE);
  const filePath = await locate(file.fileId, AbortSignal.any([released, locating.signal])).finally(
    locating.cancel,
  );

  const stall = startDeadline(clock, STALLED_AFTER);
  try {
    const signal = AbortSignal.any([released, stall.signal]);
    const response = await request(`${downloadRoot}/${encodePath(filePath)}`, { signal });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`the server answered ${response.statusCode}`);
    }
    let received = 0;
    const capped = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        stall.extend();
        received += chunk.length;
        if (received > LARGEST_DOWNLOAD) done(tooLarge());
        else done(null, chunk);
      },
    });
    await pipeline(response, capped, createWriteStream(path, { mode: 0o600 }), { signal });
    // A connection that was closed early can look like an end: the promised length tells.
    const promised = file.size ?? Number(response.headers["content-length"] ?? received);
    if (received < promised) throw new Error(`only ${received} of ${promised} bytes came`);
  } finally {
    stall.cancel();
  }
}

async function retrying(work: () => Promise<void>, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (isTooBig(error)) throw tooLarge();
      const hopeless =
        error instanceof MissingFileError || isRefusal(error) || restAsked(error) > LONGEST_REST;
      if (attempt === ATTEMPTS || signal.aborted || hopeless) throw error;
      await clock.sleep(Math.max(RETRY_WAIT, restAsked(error)), signal);
    }
  }
}

/** By content, never by name: a model refuses a picture that is not what it says. */
async function recognise(file: FileReference, path: string): Promise<Attached> {
  const { size } = await stat(path);
  // Loaded with the first file: a start does without its 80 kB.
  const { fileTypeFromFile } = await import("file-type");
  const mimeType = imageType((await fileTypeFromFile(path))?.mime);
  if (mimeType === undefined) return { type: "file", file: { path, name: file.name, size } };
  const remark =
    size > LARGEST_IMAGE
      ? `a picture larger than ${formatBytes(LARGEST_IMAGE)}, so it comes as a file`
      : whyAsFile(await readFile(path), mimeType);
  if (remark === undefined) return { type: "image", image: { mimeType, path } };
  return { type: "file", file: { path, name: file.name, size }, remark };
}

function imageType(mime: string | undefined): PromptImage["mimeType"] | undefined {
  switch (mime) {
    case "image/jpeg":
    case "image/png":
    case "image/webp":
    case "image/gif":
      return mime;
    default:
      return undefined;
  }
}

/** The agent's tools look at endings; of a stranger's name nothing but a plain one is kept. */
function safeExtension(name: string): string {
  const extension = extname(name).toLowerCase();
  return /^\.[a-z0-9]{1,10}$/.test(extension) ? extension : "";
}

function tooLarge(): MissingFileError {
  const megabytes = LARGEST_DOWNLOAD / 1024 / 1024;
  return new MissingFileError(
    `it is larger than ${megabytes} MB, the most that Telegram lets a bot download`,
  );
}

function isTooBig(error: unknown): boolean {
  return error instanceof GrammyError && /file is too big/i.test(error.description);
}

/** Milliseconds that Telegram asks to wait before the next call. */
function restAsked(error: unknown): number {
  return error instanceof GrammyError ? (error.parameters.retry_after ?? 0) * 1_000 : 0;
}

/** Endings come from senders: one with a question mark in it must not cut the path. */
function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function isRefusal(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code >= 400 && error.error_code < 429;
}
