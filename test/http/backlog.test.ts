import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createBacklog, LARGEST_BACKLOG } from "../../src/http/backlog.ts";

test("what waits behind an attach counts, and the attach does not, however large it is", () => {
  const backlog = createBacklog();
  backlog.add(100);
  backlog.attach(() => backlog.add(5 * LARGEST_BACKLOG));
  backlog.add(LARGEST_BACKLOG);
  expect(backlog.isTooLarge(6 * LARGEST_BACKLOG)).toBe(false);
  backlog.add(1);
  expect(backlog.isTooLarge(6 * LARGEST_BACKLOG + 1)).toBe(true);
  // Half of the attach is on its way: still nothing but what is behind it counts.
  expect(backlog.isTooLarge(3 * LARGEST_BACKLOG)).toBe(true);
  expect(backlog.isTooLarge(LARGEST_BACKLOG)).toBe(false);
});

test("in the middle of an attach only what was in front of it counts", () => {
  const backlog = createBacklog();
  const seen: boolean[] = [];
  backlog.attach(() => {
    for (let n = 1; n <= 3; n += 1) {
      backlog.add(LARGEST_BACKLOG);
      seen.push(backlog.isTooLarge(n * LARGEST_BACKLOG));
    }
  });
  expect(seen).toEqual([false, false, false]);
});

test("whatever is sent and gets on its way: a client is too slow exactly when too much waits beside its last attach", () => {
  const half = LARGEST_BACKLOG / 2;
  const step = fc.oneof(
    fc.record({ type: fc.constant("live" as const), bytes: fc.nat(half) }),
    // Attaches come when what was before them is on its way.
    fc.record({ type: fc.constant("attach" as const), bytes: fc.nat(3 * half) }),
    fc.record({ type: fc.constant("drain" as const), bytes: fc.nat(3 * half) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const backlog = createBacklog();
      let waiting: { readonly isAttach: boolean; readonly bytes: number }[] = [];
      for (const { type, bytes } of steps) {
        if (type === "drain") {
          let left = bytes;
          waiting = waiting.flatMap((piece) => {
            const gone = Math.min(left, piece.bytes);
            left -= gone;
            return gone === piece.bytes ? [] : [{ ...piece, bytes: piece.bytes - gone }];
          });
        } else if (type === "live") {
          backlog.add(bytes);
          waiting.push({ isAttach: false, bytes });
        } else {
          waiting = [];
          backlog.attach(() => backlog.add(bytes));
          waiting.push({ isAttach: true, bytes });
        }
        const sum = (pieces: typeof waiting): number => pieces.reduce((all, piece) => all + piece.bytes, 0);
        const counted = sum(waiting.filter(({ isAttach }) => !isAttach));
        expect(backlog.isTooLarge(sum(waiting))).toBe(counted > LARGEST_BACKLOG);
      }
    }),
  );
});
