import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settleEntities } from "../../src/playground/bot-api/entity-nesting.ts";
import { type Entity, sliceFormatted } from "../../src/telegram/entities.ts";
import { countEntities, entityReach } from "../../src/telegram/entity-count.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { nastyMarkdown } from "./nasty-markdown.ts";

const bold = (offset: number, length: number): Entity => ({ type: "bold", offset, length });
const italic = (offset: number, length: number): Entity => ({ type: "italic", offset, length });
const quote = (offset: number, length: number): Entity => ({ type: "blockquote", offset, length });
const link = (offset: number, length: number): Entity => ({
  type: "text_link",
  offset,
  length,
  url: "https://example.com/",
});

describe("how many entities Telegram makes", () => {
  test.each<[string, readonly Entity[], number]>([
    ["nothing of nothing", [], 0],
    ["one of each that stands alone", [bold(0, 3), link(4, 2), italic(7, 1)], 3],
    ["four of bold text with a link in its middle", [bold(0, 9), link(3, 3)], 4],
    ["three of bold text that begins with a link", [bold(0, 9), link(0, 3)], 3],
    ["two of bold text that is a link", [bold(0, 9), link(0, 9)], 2],
    ["three of bold text with something italic in it", [bold(0, 9), italic(3, 3)], 3],
    ["two of a quote, which is never cut", [quote(0, 9), bold(3, 3)], 2],
    ["one cut where two links meet", [bold(0, 9), link(2, 3), link(5, 2)], 6],
  ])("is %s", (_, entities, count) => {
    expect(countEntities(entities)).toBe(count);
  });

  test("is never more than were counted, in any markdown", () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        const { entities } = renderMarkdown(markdown, { streaming: false });
        expect(settleEntities(entities, () => undefined).length).toBeLessThanOrEqual(countEntities(entities));
      }),
    );
  });
});

test("what lies before the first entity too many is within the limit, wherever one begins", () => {
  fc.assert(
    fc.property(nastyMarkdown, fc.nat(1_000), fc.integer({ min: 1, max: 12 }), (markdown, part, limit) => {
      const formatted = renderMarkdown(markdown, { streaming: false });
      const { entities, text } = formatted;
      const start = Math.floor((text.length * part) / 1_000);
      const open = entities.filter(({ offset, length }) => offset <= start && offset + length > start);
      const reach = entityReach(entities, start, text.length, limit);
      const page = sliceFormatted(formatted, start, reach);
      expect(countEntities(page.entities)).toBeLessThanOrEqual(Math.max(limit, open.length));
      expect(reach === text.length || reach > start).toBe(true);
    }),
  );
});
