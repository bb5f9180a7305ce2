import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatText } from "../../../src/playground/bot-api/formatted-text.ts";
import type { FormattedText } from "../../../src/playground/bot-api/formatted-text.ts";
import type { MessageEntity } from "../../../src/playground/bot-api/shapes.ts";

function format(
  text: string,
  entities: unknown = [],
  kind: "text" | "caption" = "text",
): FormattedText & { complaints: string[] } {
  const complaints: string[] = [];
  return { ...formatText(text, entities, kind, (what) => complaints.push(what)), complaints };
}

const bold = (offset: number, length: number): MessageEntity => ({ type: "bold", offset, length });
const named = (entities: readonly MessageEntity[]): string[] =>
  entities.map(({ type, offset, length }) => `${type} ${offset}+${length}`);

describe("the text that the server keeps", () => {
  test.each([
    ["white space at the ends goes", " \n hi \n", "hi"],
    ["tabs become spaces", "a\tb", "a b"],
    ["carriage returns go", "a\r\nb", "a\nb"],
    ["separators of lines go", "a\u2028b", "ab"],
    ["white space inside stays", "a  b\n\n\nc", "a  b\n\n\nc"],
  ])("%s", (_, given, expected) => {
    expect(format(given).text).toBe(expected);
  });

  test.each([
    ["nothing", "", "message text is empty"],
    ["white space", "  \n\t", "text must be non-empty"],
    ["what has no width", "\u200b\u2060\u00ad\ufeff", "text must be non-empty"],
    ["what looks like white space", "\u3164\u2800", "text must be non-empty"],
    ["one unit too many", "x".repeat(4097), "message is too long"],
    ["more bytes than anybody looks at", "漢".repeat(11_000), "text is too long"],
    ["emoji, which count twice", "😀".repeat(2049), "message is too long"],
  ])("%s is refused", (_, text, why) => {
    expect(() => format(text)).toThrow(`Bad Request: ${why}`);
  });

  test("exactly 4,096 units are taken, however much white space surrounds them", () => {
    expect(format(`  ${"😀".repeat(2048)}  `).text).toHaveLength(4096);
  });

  test("a caption may be empty, and holds 1,024 units", () => {
    expect(format("", [], "caption").text).toBe("");
    expect(format("x".repeat(1024), [], "caption").text).toHaveLength(1024);
    expect(() => format("x".repeat(1025), [], "caption")).toThrow("message caption is too long");
  });
});

describe("entities that are refused", () => {
  test.each([
    ["no array", {}, "can't parse entities: expected an Array of MessageEntity"],
    ["no object", [1], "can't parse MessageEntity: expected an Object"],
    ["no offset", [{ type: "bold", length: 1 }], `can't parse MessageEntity: Can't find field "offset"`],
    ["half an offset", [bold(0.5, 1)], `can't parse MessageEntity: Field "offset" must be of type Number`],
    [
      "an unknown type",
      [{ type: "loud", offset: 0, length: 1 }],
      "can't parse MessageEntity: Unsupported type specified",
    ],
    ["a negative offset", [bold(-1, 2)], "receive an entity with incorrect offset -1"],
    ["no length", [bold(0, 0)], "receive an entity with incorrect length 0"],
    ["a negative length", [bold(1, -1)], "receive an entity with incorrect length -1"],
    ["a start after the end", [bold(9, 1)], "entity begins after the end of the text at UTF-16 offset 9"],
    [
      "an end after the end",
      [bold(3, 2)],
      "entity beginning at UTF-16 offset 3 ends after the end of the text at UTF-16 offset 5",
    ],
    ["a start in a pair", [bold(2, 1)], "entity begins in a middle of a UTF-16 symbol at byte offset 5"],
    [
      "an end in a pair",
      [bold(0, 2)],
      "entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5",
    ],
    [
      "a link to nothing",
      [{ type: "text_link", offset: 0, length: 1 }],
      `can't parse MessageEntity: Can't find field "url"`,
    ],
    [
      "a link to a number",
      [{ type: "text_link", offset: 0, length: 1, url: 7 }],
      `can't parse MessageEntity: Field "url" must be of type String`,
    ],
    [
      "a link to a script",
      [{ type: "text_link", offset: 0, length: 1, url: "javascript:alert(1)" }],
      "entity URL 'javascript:alert(1)' is invalid: Wrong port number specified in the URL",
    ],
  ])("%s", (_, entities, why) => {
    expect(() => format("a😀b", entities)).toThrow(`Bad Request: ${why}`);
  });
});

const link = (url: string): unknown => [{ type: "text_link", offset: 0, length: 2, url }];

describe("a link that is refused, and the call with it", () => {
  test.each([
    ["http://localhost:3000/x", "Wrong HTTP URL"],
    ["hello", "Wrong HTTP URL"],
    ["https://s3.{region}.amazonaws.com/b", "Wrong URL host"],
    ["https://exam ple.com/", "Wrong URL host"],
    ["https://example.com\\a", "Wrong URL host"],
    ["https://a%2.example.com/", "Wrong percent-encoded symbol in URL host"],
    ["https:///a", "URL host is empty"],
    ["/home/ada/a.ts", "URL host is empty"],
    ["", "URL host is empty"],
    ["https://./", "Host is invalid"],
    ["http://example.com:/", "Wrong port number specified in the URL"],
    ["http://example.com:0/", "Wrong port number specified in the URL"],
    ["http://example.com:65536/", "Wrong port number specified in the URL"],
    ["http://example.com:PORT/", "Wrong port number specified in the URL"],
    ["http://[zz::1]/", "Wrong IPv6 address specified in the URL"],
    ["http://[::1/", "Wrong URL host"],
    ["ftp://example.com/", "Unsupported URL protocol"],
    ["tg://example.com/a", "Unallowed characters in URL host"],
    ["tg://resolve:80", "Wrong tg URL"],
    ["tg://ada@resolve", "Wrong tg URL"],
    ["ton://http://example.com", "Wrong ton URL"],
  ])("%s", (url, why) => {
    expect(() => format("hi", link(url))).toThrow(`Bad Request: entity URL '${url}' is invalid: ${why}`);
  });
});

describe("entities that are put right", () => {
  test.each([
    ["https://example.com", "https://example.com/"],
    ["HTTPS://Example.COM/A", "https://example.com/A"],
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["https://example.com?a#b", "https://example.com/?a#b"],
    ["example.com:8080/x", "http://example.com:8080/x"],
    ["http://example.com:0080/x", "http://example.com:80/x"],
    ["https://ada:secret@example.com/", "https://ada:secret@example.com/"],
    ["https://a@b@example.com/", "https://a@b@example.com/"],
    ["https://my_host.$x.*.example.com/", "https://my_host.$x.*.example.com/"],
    ["https://ex%61mple.com/", "https://ex%61mple.com/"],
    ["https://пример.рф/путь", "https://пример.рф/путь"],
    ["http://[2001:DB8::1]:80/", "http://[2001:db8::1]:80/"],
    ["tg:resolve?domain=evie", "tg://resolve?domain=evie"],
    ["tg://user?name=7", "tg://user?name=7"],
    ["ton://transfer/a", "ton://transfer/a"],
    ["tonsite://example.ton/", "tonsite://example.ton/"],
  ])("a link to %s is kept as %s", (given, kept) => {
    const { entities, complaints } = format("hi", link(given));
    expect(entities).toEqual([{ type: "text_link", offset: 0, length: 2, url: kept }]);
    expect(complaints).toEqual([]);
  });

  test("a link that names a person is a mention", () => {
    const user = { id: 7, is_bot: false, first_name: "7" };
    expect(format("hi", link("tg://user?id=7")).entities).toEqual([
      { type: "text_mention", offset: 0, length: 2, user },
    ]);
  });

  test("a mail address is taken for a name and a host, with a complaint", () => {
    const { entities, complaints } = format("hi", link("mailto:ada@example.com"));
    expect(entities[0]?.url).toBe("http://mailto:ada@example.com/");
    expect(complaints).toEqual([
      "a mail address is no link: mailto:ada@example.com becomes http://mailto:ada@example.com/",
    ]);
  });

  test("entities move along with what is trimmed and removed", () => {
    const { text, entities, complaints } = format("\r\n  😀 b\tc  ", [bold(2, 2 + 2 + 3 + 2)]);
    expect(text).toBe("😀 b c");
    expect(named(entities)).toEqual(["bold 0+6"]);
    expect(complaints).toEqual([]);
  });

  test("white space alone is not bold, and does not begin bold text", () => {
    expect(named(format("a  b c", [bold(1, 2), bold(4, 2)]).entities)).toEqual(["bold 5+1"]);
  });

  test("entities are sorted, and nested ones of bold and its like are cut at each start", () => {
    const { entities, complaints } = format("0123456789", [{ ...bold(3, 2), type: "italic" }, bold(0, 10)]);
    expect(named(entities)).toEqual(["bold 0+3", "bold 3+7", "italic 3+2"]);
    expect(complaints).toEqual([]);
  });

  test("crossing entities are cut, with a complaint", () => {
    const { entities, complaints } = format("0123456789", [bold(0, 5), { ...bold(3, 5), type: "italic" }]);
    expect(named(entities)).toEqual(["bold 0+3", "italic 3+5", "bold 3+2"]);
    expect(complaints).toEqual(["bold 0+5 crosses italic 3+5"]);
  });

  test("nothing is bold inside code, with a complaint", () => {
    const { entities, complaints } = format("0123456789", [{ ...bold(2, 4), type: "code" }, bold(0, 10)]);
    expect(named(entities)).toEqual(["bold 0+2", "code 2+4", "bold 6+4"]);
    expect(complaints).toEqual(["bold 2+4 is dropped: it lies within code 2+4"]);
  });

  test("of two links that overlap the first stays, and a quote holds no half of a code", () => {
    const at = (type: string, offset: number, length: number): MessageEntity => ({
      ...bold(offset, length),
      type,
    });
    const { entities, complaints } = format("0123456789", [
      at("blockquote", 0, 4),
      at("code", 3, 3),
      at("pre", 5, 2),
    ]);
    expect(named(entities)).toEqual(["blockquote 0+4"]);
    expect(complaints).toContain("code 3+3 crosses pre 5+2");
    expect(complaints).toContain("code 3+3 is dropped: it does not lie within blockquote 0+4");
  });

  test("of more than a hundred the first hundred stay, links before bold, with a complaint", () => {
    const many = Array.from({ length: 101 }, (_, index) => bold(index * 2, 1));
    const last = { type: "text_link", offset: 204, length: 1, url: "https://example.com/" };
    const { entities, complaints } = format("x ".repeat(103), [...many, last]);
    expect(entities).toHaveLength(100);
    expect(named(entities).at(-1)).toBe("text_link 204+1");
    expect(named(entities).at(-2)).toBe("bold 196+1");
    expect(complaints).toEqual(["102 entities, of which only 100 are kept"]);
  });

  test("bold text with links in it counts once, though it is kept in pieces", () => {
    const links = Array.from({ length: 99 }, (_, index) => ({
      type: "text_link",
      offset: index * 2 + 1,
      length: 1,
      url: "https://example.com/",
    }));
    const { entities, complaints } = format("x".repeat(200), [bold(0, 200), ...links]);
    expect(entities.filter(({ type }) => type === "text_link")).toHaveLength(99);
    expect(complaints).toEqual([]);
  });
});

test("whatever is accepted lies in the text, is sorted, never crosses, and is accepted again unchanged", () => {
  const types = fc.constantFrom("bold", "italic", "spoiler", "code", "pre", "blockquote", "text_link");
  const input = fc
    .array(fc.constantFrom("a", "b", " ", "\n", "\t", "\r", "😀"), { minLength: 1, maxLength: 30 })
    .chain((units) =>
      fc.tuple(
        fc.constant(units.join("")),
        fc
          .array(fc.tuple(types, fc.nat(units.length - 1), fc.integer({ min: 1, max: units.length })), {
            maxLength: 8,
          })
          .map((places) =>
            places.map(([type, from, count]) => {
              const offset = units.slice(0, from).join("").length;
              const length = units.slice(from, from + count).join("").length;
              return {
                type,
                offset,
                length,
                ...(type === "text_link" ? { url: "https://example.com/" } : {}),
              };
            }),
          ),
      ),
    )
    .filter(([text]) => text.trim() !== "");
  fc.assert(
    fc.property(input, ([text, given]) => {
      const kept = format(text, given);
      const { entities } = kept;
      entities.forEach((entity, index) => {
        const end = entity.offset + entity.length;
        expect(entity.length).toBeGreaterThan(0);
        expect(end).toBeLessThanOrEqual(kept.text.length);
        expect(kept.text.slice(entity.offset, end).isWellFormed()).toBe(true);
        for (const later of entities.slice(index + 1)) {
          expect(later.offset).toBeGreaterThanOrEqual(entity.offset);
          const apart = later.offset >= end;
          const inside = later.offset + later.length <= end;
          expect(apart || inside).toBe(true);
          if (entity.type === "code" || entity.type === "pre") expect(apart).toBe(true);
        }
      });
      expect(format(kept.text, entities)).toMatchObject({ text: kept.text, entities });
    }),
  );
});
