import type { FileOptions } from "./person.ts";
import type { Content, World } from "./world.ts";

export type MediaKind = "photo" | "video" | "document" | "audio" | "voice" | "animation";

interface MediaOptions extends FileOptions {
  readonly width?: number;
  readonly height?: number;
}

/** A transparent PNG of one pixel, which stands in for the smaller sizes of a photo. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** The longer sides of the sizes that Telegram keeps besides the largest. */
const SMALLER_SIDES = [90, 320, 800];

const FOLDERS = {
  photo: "photos",
  video: "videos",
  document: "documents",
  audio: "music",
  voice: "voice",
  animation: "animations",
} as const;

const MIMES = {
  video: "video/mp4",
  audio: "audio/mpeg",
  voice: "audio/ogg",
  animation: "video/mp4",
} as const;

/** Stores a file and gives the fields that a message with it has, the caption aside. */
export function storeMedia(world: World, kind: MediaKind, bytes: Uint8Array, options: MediaOptions): Content {
  const folder = FOLDERS[kind];
  const size = options.size ?? bytes.length;
  const named = options.name === undefined ? {} : { file_name: options.name };
  const mime = options.mime ?? (kind in MIMES ? MIMES[kind as keyof typeof MIMES] : undefined);
  const typed = mime === undefined ? {} : { mime_type: mime };
  const { width = 1280, height = 960 } = options;

  if (kind === "photo") {
    const long = Math.max(width, height);
    const smaller = SMALLER_SIDES.filter((side) => side < long).map((side) =>
      world.files.add(PIXEL, folder, {
        width: Math.max(1, Math.round((width * side) / long)),
        height: Math.max(1, Math.round((height * side) / long)),
      }),
    );
    return { photo: [...smaller, world.files.add(bytes, folder, { width, height, file_size: size })] };
  }

  const shape = world.files.add(bytes, folder, {
    ...(kind === "voice" ? {} : named),
    ...typed,
    ...(kind === "video" || kind === "animation" ? { width, height } : {}),
    ...(kind === "document" ? {} : { duration: 2 }),
    file_size: size,
  });
  if (kind !== "animation") return { [kind]: shape };
  const { width: _, height: __, duration: ___, ...document } = shape;
  return { animation: shape, document };
}
