import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** A real PNG of one colour, told apart by `shade` (0 to 255). */
export function png(shade: number, width = 8, height = 8): Uint8Array {
  return pngOf(width, height, () => Buffer.alloc(width * 3, shade));
}

function pngOf(width: number, height: number, makeRow: (y: number) => Buffer): Uint8Array {
  const rows = Array.from({ length: height }, (_, y) => Buffer.concat([Buffer.from([0]), makeRow(y)]));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a channel, true colour.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A real PNG, drawn point by point: red, green and blue from 0 to 255. */
export function drawnPng(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly number[],
): Uint8Array {
  return pngOf(width, height, (y) =>
    Buffer.concat(Array.from({ length: width }, (_, x) => Buffer.from(colourAt(x, y).map(Math.round)))),
  );
}

/** A real PNG that cannot be compressed, of about `width` x `height` x 3 bytes: slow to shrink. */
export function noisePng(width: number, height: number): Uint8Array {
  return pngOf(width, height, () => randomBytes(width * 3));
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
