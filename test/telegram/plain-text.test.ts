import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatText } from "../../src/playground/bot-api/formatted-text.ts";
import type { Entity } from "../../src/telegram/entities.ts";
import { renderMarkdown } from "../../src/telegram/markdown.ts";
import { paginate } from "../../src/telegram/paginate.ts";
import { withoutEntities, withoutLinks } from "../../src/telegram/plain-text.ts";
import { nastyMarkdown } from "./nasty-markdown.ts";

const render = (markdown: string) => renderMarkdown(markdown, { streaming: false });

describe("a page without its links", () => {
  test.each<[string, string, string, readonly Entity[]]>([
    ["says their addresses", "[a](https://x.example/) b", "a (https://x.example/) b", []],
    ["says no address twice", "https://x.example/a b", "https://x.example/a b", []],
    [
      "keeps what stands behind them in its place",
      "[a](https://x.example/) **b**",
      "a (https://x.example/) b",
      [{ type: "bold", offset: 23, length: 1 }],
    ],
    [
      "hides an address that was hidden",
      "||[a](https://x.example/)|| b",
      "a (https://x.example/) b",
      [{ type: "spoiler", offset: 0, length: 22 }],
    ],
    [
      "keeps a quote around it",
      "> a\n> [b](https://x.example/)\n> c",
      "a\nb (https://x.example/)\nc",
      [{ type: "blockquote", offset: 0, length: 26 }],
    ],
  ])("%s", (_, markdown, text, entities) => {
    expect(withoutLinks(render(markdown))).toEqual({ text, entities });
    expect(withoutEntities(render(markdown))).toEqual({ text, entities: [] });
  });

  test("leaves out an address that would make the message too long", () => {
    const page = render(
      `[a](https://x.example/) [b](https://x.example/${"y".repeat(2_000)}) ${"c".repeat(3_000)}`,
    );
    expect(withoutLinks(page).text).toBe(`a (https://x.example/) b ${"c".repeat(3_000)}`);
  });

  test("is what Telegram takes, of any markdown", () => {
    fc.assert(
      fc.property(nastyMarkdown, (markdown) => {
        for (const page of paginate(render(markdown))) {
          const { text, entities } = withoutLinks(page);
          const complaints: string[] = [];
          formatText(text, entities, "text", (what) => complaints.push(what));
          expect(complaints).toEqual([]);
          expect(entities.some(({ type }) => type === "text_link")).toBe(false);
        }
      }),
    );
  });
});
