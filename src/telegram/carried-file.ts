import type { LivePhoto, Message, PhotoSize } from "grammy/types";
import { listOf, type Loose, loose, numberOf, stringOf } from "./loose.ts";

/** A file that a message carries, as Telegram names it. Everything but the ids is the sender's word. */
export interface FileReference {
  readonly fileId: string;
  /** The same for one file wherever it is sent, where Telegram says. */
  readonly uniqueId?: string;
  readonly name: string;
  /** Bytes, where Telegram says. */
  readonly size?: number;
}

/** The fields that a file may be in. */
type Carrier = Pick<
  Message,
  "photo" | "live_photo" | "animation" | "document" | "audio" | "video" | "video_note" | "voice"
>;

/** In this order, because Telegram sets the document of an animation too; the animation knows its own name. */
const FILES: readonly (readonly [keyof Carrier, string])[] = [
  ["animation", "animation.mp4"],
  ["document", "document"],
  ["audio", "audio.mp3"],
  ["video", "video.mp4"],
  ["video_note", "video-note.mp4"],
  ["voice", "voice.ogg"],
];

/** Finds the file of a message, of a photo the largest size. Takes any value and never throws. */
export function carriedFile(message: Loose<Carrier>): FileReference | undefined {
  const photo = largest([
    ...listOf(message.photo),
    ...(message.photo === undefined ? listOf(loose<LivePhoto>(message.live_photo).photo) : []),
  ]);
  if (photo !== undefined) return reference(photo, "photo.jpg");
  const found = FILES.find(([field]) => isPresent(message[field]));
  return found === undefined ? undefined : reference(message[found[0]], found[1]);
}

/** Finds the file of the message that another replies to, in the same chat or elsewhere. */
export function repliedFile({ reply_to_message, external_reply }: Loose<Message>): FileReference | undefined {
  return carriedFile(loose<Carrier>(reply_to_message)) ?? carriedFile(loose<Carrier>(external_reply));
}

/** Whether two references are to one file: its id may differ from message to message. */
export function isSameFile(one: FileReference, other: FileReference): boolean {
  return one.fileId === other.fileId || (one.uniqueId !== undefined && one.uniqueId === other.uniqueId);
}

/** Whether two references are surely not to one file. */
export function isOtherFile(one: FileReference, other: FileReference): boolean {
  return one.uniqueId !== undefined && other.uniqueId !== undefined && one.uniqueId !== other.uniqueId;
}

/** A photo comes in several sizes. */
function largest(sizes: readonly unknown[]): unknown {
  const area = (size: unknown): number => {
    const { width, height } = loose<PhotoSize>(size);
    return (numberOf(width) ?? 0) * (numberOf(height) ?? 0);
  };
  return sizes.reduce(
    (best, size) => (best === undefined || area(size) >= area(best) ? size : best),
    undefined,
  );
}

interface TelegramFile {
  readonly file_id: string;
  readonly file_unique_id: string;
  readonly file_size?: number;
  readonly file_name?: string;
}

function reference(value: unknown, fallback: string): FileReference | undefined {
  const { file_id, file_unique_id, file_size, file_name } = loose<TelegramFile>(value);
  const [fileId, uniqueId, size] = [stringOf(file_id), stringOf(file_unique_id), numberOf(file_size)];
  if (fileId === undefined) return undefined;
  return {
    fileId,
    ...(uniqueId === undefined ? {} : { uniqueId }),
    name: stringOf(file_name)?.trim() || fallback,
    ...(size === undefined ? {} : { size }),
  };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
