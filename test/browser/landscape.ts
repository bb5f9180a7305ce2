import { drawnPng } from "../builders.ts";

type Colour = readonly number[];

const SKIES: readonly (readonly [top: Colour, low: Colour, sea: Colour])[] = [
  [
    [246, 196, 132],
    [250, 232, 200],
    [58, 102, 116],
  ],
  [
    [120, 176, 208],
    [222, 238, 244],
    [38, 96, 122],
  ],
  [
    [34, 44, 84],
    [196, 120, 120],
    [24, 34, 62],
  ],
];

/** A lighthouse by the sea, at three times of the day: something to look at in a chat. */
export function landscape(number: number, size = 320): Uint8Array {
  const [top, low, sea] = SKIES[number % SKIES.length] ?? [[], [], []];
  const horizon = size * 0.66;
  const middle = size * (0.3 + 0.2 * (number % SKIES.length));
  return drawnPng(size, size, (x, y) => {
    const halfWidth = size * (0.035 + 0.03 * (y / size));
    const isTower = Math.abs(x - middle) < halfWidth && y > size * 0.26 && y < size * 0.7;
    if (isTower)
      return Math.floor((y - size * 0.26) / (size * 0.075)) % 2 === 0 ? [236, 232, 224] : [178, 62, 48];
    if (Math.hypot(x - middle, y - size * 0.23) < size * 0.045) return [255, 240, 178];
    const isRock =
      y > horizon - size * 0.06 * Math.exp(-(((x - middle) / (size * 0.14)) ** 2)) + 4 &&
      y < size * 0.74 &&
      Math.abs(x - middle) < size * 0.24;
    if (isRock) return [52, 50, 54];
    if (y > horizon) {
      const wave = 10 * Math.sin(y * 0.5 + Math.sin(x * 0.05) * 2);
      return sea.map((share) => share + wave);
    }
    const share = y / horizon;
    return [0, 1, 2].map((at) => (top[at] ?? 0) * (1 - share) + (low[at] ?? 0) * share);
  });
}
