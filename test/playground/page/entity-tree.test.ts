import fc from "fast-check";
import { expect, test } from "vitest";
import type { MessageEntity } from "../../../src/playground/bot-api/shapes.ts";
import { entityTree, type Piece, plain } from "../../../src/playground/page/entity-tree.ts";

const entity = (type: string, offset: number, length: number): MessageEntity => ({ type, offset, length });

/** `[bold:a[italic:b]]`: an entity and what is in it. */
function sketch(piece: Piece): string {
  return typeof piece === "string" ? piece : `[${piece.entity.type}:${piece.pieces.map(sketch).join("")}]`;
}

test.each<[string, string, readonly MessageEntity[], string]>([
  ["no entity", "abc", [], "abc"],
  ["one in the middle", "abc", [entity("bold", 1, 1)], "a[bold:b]c"],
  ["neighbours", "abc", [entity("bold", 0, 1), entity("code", 1, 2)], "[bold:a][code:bc]"],
  ["one inside another", "abc", [entity("italic", 1, 1), entity("bold", 0, 3)], "[bold:a[italic:b]c]"],
  ["two of the same place", "abc", [entity("bold", 0, 3), entity("italic", 0, 3)], "[bold:[italic:abc]]"],
  [
    "one that crosses an end",
    "abcd",
    [entity("bold", 0, 3), entity("italic", 2, 2)],
    "[bold:ab[italic:c]][italic:d]",
  ],
  ["one beyond the end", "ab", [entity("bold", 1, 9)], "a[bold:b]"],
  ["an empty one", "ab", [entity("bold", 1, 0)], "ab"],
  ["breaks around a block", "a\nb\n\nc", [entity("pre", 2, 1)], "a[pre:b]\nc"],
  ["breaks around a word", "a\nb\nc", [entity("bold", 2, 1)], "a\n[bold:b]\nc"],
])("%s", (_, text, entities, expected) => {
  expect(entityTree(text, entities).map(sketch).join("")).toBe(expected);
});

test("no character is lost or doubled, whatever the entities are", () => {
  const anyEntity = fc.record({
    type: fc.constantFrom("bold", "italic", "code", "spoiler"),
    offset: fc.nat(20),
    length: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), fc.array(anyEntity, { maxLength: 6 }), (text, entities) => {
      expect(entityTree(text, entities).map(plain).join("")).toBe(text);
    }),
  );
});
