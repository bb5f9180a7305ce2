import fc from "fast-check";
import { expect, test } from "vitest";
import { LONGEST_SIDE, MOST_PIXELS, pictureSize, whyAsFile } from "../../src/domain/picture-size.ts";
import type { PromptImage } from "../../src/domain/prompt.ts";
import { png } from "../builders.ts";

type Maker = (width: number, height: number) => Buffer;

const le16 = (value: number) => [value & 0xff, value >>> 8];
const le24 = (value: number) => [value & 0xff, (value >>> 8) & 0xff, value >>> 16];
const be16 = (value: number) => [value >>> 8, value & 0xff];
const words = (text: string) => [...Buffer.from(text, "latin1")];

const pngOf: Maker = (width, height) => {
  const bytes = Buffer.from(png(0));
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
const frameHeader = (width: number, height: number, marker = 0xc0) => [
  0xff,
  marker,
  0,
  17,
  8,
  ...be16(height),
  ...be16(width),
  3,
  1,
  0x22,
  0,
  2,
  0x11,
  1,
  3,
  0x11,
  1,
];
/** A thumbnail's own header lies in a segment in front, and is not the picture's. */
const THUMBNAIL = [0xff, 0xe1, 0, 2 + 19, ...frameHeader(1, 1)];
const SCAN = [0xff, 0xda, 0, 2];
const jpegOf: Maker = (width, height) =>
  Buffer.from([0xff, 0xd8, ...THUMBNAIL, 0xff, ...frameHeader(width, height, 0xc2), ...SCAN]);
const screen = (width: number, height: number) => [
  ...words("GIF89a"),
  ...le16(width),
  ...le16(height),
  0x80,
  0,
  0,
  0,
  0,
  0,
  255,
  255,
  255,
  // A comment.
  0x21,
  0xfe,
  2,
  0x2c,
  0x2c,
  0,
];
const gifFrame = (left: number, top: number, width: number, height: number) => [
  0x2c,
  ...[left, top, width, height].flatMap(le16),
  0,
  2,
  1,
  0,
  0,
];
const gifOf: Maker = (width, height) =>
  Buffer.from([...screen(width, height), ...gifFrame(0, 0, 1, 1), 0x3b]);
const wideGifOf: Maker = (width, height) =>
  Buffer.from([...screen(1, 1), ...gifFrame(0, 0, 1, 1), ...gifFrame(width - 1, height - 1, 1, 1), 0x3b]);
const riffChunk = (type: string, data: readonly number[]) => [
  ...words(type),
  ...le24(data.length),
  0,
  ...data,
  ...(data.length % 2 === 0 ? [] : [0]),
];
const webp = (...chunks: readonly (readonly number[])[]) =>
  Buffer.from([...words("RIFF"), 0, 0, 0, 0, ...words("WEBP"), ...chunks.flat()]);
const lossy = (width: number, height: number) =>
  riffChunk("VP8 ", [0, 0, 0, 0x9d, 1, 0x2a, ...le16(width), ...le16(height)]);
const lossless = (width: number, height: number) => {
  const data = Buffer.alloc(5, 0x2f);
  data.writeUInt32LE(width - 1 + (height - 1) * 2 ** 14, 1);
  return riffChunk("VP8L", [...data]);
};
const canvas = (width: number, height: number) =>
  riffChunk("VP8X", [0, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)]);
const animated = (width: number, height: number) =>
  riffChunk("ANMF", [
    ...Array<number>(6).fill(0),
    ...le24(0),
    ...le24(0),
    0,
    0,
    0,
    0,
    ...lossless(width, height),
  ]);

const makers: readonly (readonly [string, PromptImage["mimeType"], Maker])[] = [
  ["a PNG", "image/png", pngOf],
  ["a JPEG with a thumbnail", "image/jpeg", jpegOf],
  ["a GIF", "image/gif", gifOf],
  ["a GIF whose second frame reaches over its screen", "image/gif", wideGifOf],
  ["a lossy WebP", "image/webp", (width, height) => webp(lossy(width, height))],
  ["a lossless WebP", "image/webp", (width, height) => webp(lossless(width, height))],
  ["a WebP with a canvas", "image/webp", (width, height) => webp(canvas(width, height), lossy(1, 1))],
  [
    "a WebP whose frame is larger than its canvas",
    "image/webp",
    (width, height) => webp(canvas(1, 1), animated(width, height)),
  ],
];

test.each(makers)("the size of %s is read from its headers", (_, mimeType, make) => {
  const side = fc.integer({ min: 1, max: 16_383 });
  fc.assert(
    fc.property(side, side, (width, height) => {
      expect(pictureSize(make(width, height), mimeType)).toEqual({ width, height });
    }),
  );
});

test.each(makers)("%s that is cut within its headers has no size", (_, mimeType, make) => {
  const whole = make(300, 200);
  const headers = mimeType === "image/png" ? 24 : whole.length - 3;
  const ends = Array.from({ length: headers }, (_each, end) => end);
  const known = ends.filter((end) => pictureSize(whole.subarray(0, end), mimeType) !== undefined);
  // Cut right behind its canvas, a WebP tells of no other frame.
  const behindCanvas = whole.includes("VP8X") ? [30] : [];
  expect(known).toEqual(behindCanvas);
});

test.each<[string, Buffer, PromptImage["mimeType"]]>([
  ["no rows", pngOf(10, 0), "image/png"],
  ["another chunk in front", Buffer.from(png(0)).fill("IDAT", 12, 16), "image/png"],
  ["rows that are told later", jpegOf(10, 0), "image/jpeg"],
  [
    "two frames",
    Buffer.from([0xff, 0xd8, ...frameHeader(1, 1), ...frameHeader(9, 9), ...SCAN]),
    "image/jpeg",
  ],
  ["no frame", Buffer.from([0xff, 0xd8, ...SCAN]), "image/jpeg"],
  ["a frame without columns", Buffer.from([...screen(9, 9), ...gifFrame(0, 0, 0, 9), 0x3b]), "image/gif"],
  ["no picture in it", webp(riffChunk("EXIF", [1, 2])), "image/webp"],
])("a picture whose headers name %s goes as a file", (_, bytes, mimeType) => {
  expect(whyAsFile(bytes, mimeType)).toBe("a picture whose size cannot be read, so it comes as a file");
});

test("a picture goes as a file above 50 megapixels, or where a side is longer than 16,384", () => {
  const why = (width: number, height: number) => whyAsFile(pngOf(width, height), "image/png");
  expect([why(10_000, MOST_PIXELS / 10_000), why(LONGEST_SIDE, 3_000)]).toEqual([undefined, undefined]);
  expect(why(10_000, MOST_PIXELS / 10_000 + 1)).toBe(
    "a picture of 10000 x 5001 pixels, so it comes as a file",
  );
  expect(why(1, LONGEST_SIDE + 1)).toBe("a picture of 1 x 16385 pixels, so it comes as a file");
});

test("whatever the bytes are, a size is given or none, and nothing is thrown", () => {
  const type = fc.constantFrom<PromptImage["mimeType"]>("image/png", "image/jpeg", "image/gif", "image/webp");
  const made = fc.constantFrom(...makers).map(([, , make]) => make(300, 200));
  fc.assert(
    fc.property(made, type, fc.uint8Array({ maxLength: 12 }), fc.nat(60), (bytes, mimeType, noise, at) => {
      const spoilt = Buffer.from(bytes);
      spoilt.set(noise.subarray(0, Math.max(0, spoilt.length - at)), Math.min(at, spoilt.length));
      const size = pictureSize(spoilt, mimeType);
      if (size !== undefined) expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
    }),
    { numRuns: 2_000 },
  );
});
