import type { PromptImage } from "./prompt.ts";

/**
 * Pixels. The agent decodes a picture to shrink it, which was measured to take twelve bytes of memory a pixel, however small
 * the file is. So these are 600 MB at most, and room for what the camera of a phone takes.
 */
export const MOST_PIXELS = 50_000_000;

/** Pixels: what WebP and many decoders end at. */
export const LONGEST_SIDE = 16_384;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Says why a picture goes to the agent as a file, as a clause for the agent; undefined when it goes as a picture. Only
 * headers are read, nothing is decoded. A picture whose size cannot be told goes as a file.
 */
export function whyAsFile(bytes: Buffer, mimeType: PromptImage["mimeType"]): string | undefined {
  const size = pictureSize(bytes, mimeType);
  if (size === undefined) return "a picture whose size cannot be read, so it comes as a file";
  const { width, height } = size;
  if (width * height <= MOST_PIXELS && Math.max(width, height) <= LONGEST_SIDE) return undefined;
  return `a picture of ${width} x ${height} pixels, so it comes as a file`;
}

/**
 * Reads the size of a picture, in pixels, from its headers: the largest that any of them makes a decoder take memory for.
 * Undefined when a header is cut, contradicts itself, or names no pixels.
 */
export function pictureSize(bytes: Buffer, mimeType: PromptImage["mimeType"]): PictureSize | undefined {
  try {
    const sizes = readers[mimeType](bytes);
    const [first, ...others] = sizes;
    if (first === undefined || sizes.some(({ width, height }) => width === 0 || height === 0))
      return undefined;
    return others.reduce(
      (most, { width, height }) => ({
        width: Math.max(most.width, width),
        height: Math.max(most.height, height),
      }),
      first,
    );
  } catch (error) {
    // Node's word for a read behind the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Reader = (bytes: Buffer) => readonly PictureSize[];

const readers: Readonly<Record<PromptImage["mimeType"], Reader>> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/gif": readGif,
  "image/webp": (bytes) => readWebp(bytes, 12, true),
};

const NONE: readonly PictureSize[] = [];

function readPng(bytes: Buffer): readonly PictureSize[] {
  // Its first chunk, of thirteen bytes, or it is no PNG.
  if (bytes.readUInt32BE(8) !== 13 || bytes.toString("latin1", 12, 16) !== "IHDR") return NONE;
  return [{ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }];
}

function readJpeg(bytes: Buffer): readonly PictureSize[] {
  const frames: PictureSize[] = [];
  let at = 2;
  for (;;) {
    if (bytes.readUInt8(at) !== 0xff) return NONE;
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      // It only fills.
      at += 1;
      continue;
    }
    // The pixels begin, or there are none. A second frame's header would be one that contradicts the first.
    if (marker === 0xda) return frames.length === 1 ? frames : NONE;
    if (marker === 0xd9) return NONE;
    const isBare = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    if (isBare) {
      at += 2;
      continue;
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return NONE;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) frames.push({ width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) });
    at += 2 + length;
  }
}

/** The screen, and each frame with its place on it: a frame may reach over the screen. */
function readGif(bytes: Buffer): readonly PictureSize[] {
  const sizes = [{ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }];
  let at = 13 + tableBytes(bytes.readUInt8(10));
  for (;;) {
    const block = bytes.readUInt8(at);
    if (block === 0x3b) return sizes;
    if (block === 0x21) at += 2;
    else if (block === 0x2c) {
      const [left, top, width, height] = [1, 3, 5, 7].map((offset) => bytes.readUInt16LE(at + offset));
      if (!width || !height) return NONE;
      sizes.push({ width: (left ?? 0) + width, height: (top ?? 0) + height });
      at += 11 + tableBytes(bytes.readUInt8(at + 9));
    } else return NONE;
    for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += 1 + length;
    at += 1;
  }
}

/** Bytes of a table of colours. */
function tableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** The canvas, and each frame in it, which has a header of its own. */
function readWebp(bytes: Buffer, from: number, mayHoldFrames: boolean): readonly PictureSize[] {
  const sizes: PictureSize[] = [];
  let at = from;
  while (at < bytes.length) {
    const type = bytes.toString("latin1", at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const data = at + 8;
    if (type === "VP8X") sizes.push(sides24(bytes, data + 4));
    if (type === "ANMF") {
      if (!mayHoldFrames) return NONE;
      sizes.push(sides24(bytes, data + 6));
      const frames = readWebp(bytes.subarray(0, data + length), data + 16, false);
      if (frames.length === 0) return NONE;
      sizes.push(...frames);
    }
    if (type === "VP8 ")
      sizes.push({
        width: bytes.readUInt16LE(data + 6) & 0x3fff,
        height: bytes.readUInt16LE(data + 8) & 0x3fff,
      });
    if (type === "VP8L") {
      const sides = bytes.readUInt32LE(data + 1);
      sizes.push({ width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 });
    }
    at = data + length + (length % 2);
  }
  return sizes;
}

function sides24(bytes: Buffer, at: number): PictureSize {
  return { width: bytes.readUIntLE(at, 3) + 1, height: bytes.readUIntLE(at + 3, 3) + 1 };
}
