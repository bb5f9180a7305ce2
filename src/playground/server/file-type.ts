const MARKS: readonly (readonly [type: string, at: number, mark: string])[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/webp", 8, "WEBP"],
  ["image/gif", 0, "GIF8"],
];

/** The type of a picture by its first bytes; undefined for anything that a browser should not draw by itself. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return MARKS.find(([, at, mark]) => head.startsWith(mark, at))?.[0];
}
