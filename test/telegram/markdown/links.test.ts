import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatText } from "../../../src/playground/bot-api/formatted-text.ts";
import { linkTarget } from "../../../src/telegram/markdown/links.ts";

describe("Telegram takes for a link", () => {
  test.each([
    ["https://example.com", "https://example.com"],
    ["HTTPS://Example.COM/A", "HTTPS://Example.COM/A"],
    ["http://example.com:8080/a?b#c", "http://example.com:8080/a?b#c"],
    ["http://example.com:00080/", "http://example.com:00080/"],
    ["https://ada:secret@example.com/", "https://ada:secret@example.com/"],
    ["https://my_host.example.com/", "https://my_host.example.com/"],
    ["https://example.com./", "https://example.com./"],
    ["https://example.com/{id}/$x/*", "https://example.com/{id}/$x/*"],
    ["http://127.0.0.1:3000/", "http://127.0.0.1:3000/"],
    ["http://[2001:db8::1]:8080/a", "http://[2001:db8::1]:8080/a"],
    ["https://пример.рф/путь", "https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C"],
    ["https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"],
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["www.example.com/a", "http://www.example.com/a"],
    ["tg://resolve?domain=evie", "tg://resolve?domain=evie"],
    ["tg:resolve?domain=evie", "tg:resolve?domain=evie"],
  ])("%s", (url, link) => {
    expect(linkTarget(url)).toEqual({ type: "link", url: link });
  });
});

describe("Telegram takes for no link", () => {
  test.each([
    ["a template's host", "https://s3.{region}.amazonaws.com/b"],
    ["a variable for a host", "https://$HOST.example.com/"],
    ["a star for a host", "https://*.example.com/"],
    ["a host without a dot", "http://localhost:3000/"],
    ["a host that is one dot", "https://./a"],
    ["a host with an empty part", "https://example..com/"],
    ["a number that a browser reads as four", "http://2130706433/"],
    ["four numbers that are too large", "http://300.1.1.1/"],
    ["a port that is none", "http://example.com:PORT/"],
    ["the port 0", "http://example.com:0/"],
    ["a port that is too large", "http://example.com:65536/"],
    ["a colon without a port", "http://example.com:/"],
    ["no host", "https:///a"],
    ["two names", "https://a@b@example.com/"],
    ["one slash", "https:/example.com"],
    ["a backslash behind the host", "https://example.com\\a"],
    ["a host with a space", "https://exam ple.com/"],
    ["a host with a comma", "https://exam,ple.com/"],
    ["a broken IPv6 address", "http://[::1/"],
    ["an IPv6 address of nothing", "http://[zz::1]/"],
    ["a path", "src/a.ts"],
    ["a path from the root", "/home/ada/a.ts#L3"],
    ["a file", "file:///home/ada/a.ts"],
    ["a script", "javascript:alert(1)"],
    ["another scheme", "ftp://example.com/"],
    ["a host in Telegram's scheme", "tg://example.com/a"],
    ["a port in Telegram's scheme", "tg://resolve:80"],
    ["nothing", ""],
  ])("%s, and its address is shown", (_, url) => {
    expect(linkTarget(url)).toEqual({ type: "text", shown: url });
  });

  test.each([
    ["a mail address", "mailto:ada@example.com", "ada@example.com"],
    ["a telephone number", "tel:+4930123456", "+4930123456"],
    ["a section of the same text", "#usage", ""],
  ])("%s, of which less is shown", (_, url, shown) => {
    expect(linkTarget(url)).toEqual({ type: "text", shown });
  });
});

/** Addresses, and what is nearly one. */
const anyUrl = fc
  .array(
    fc.constantFrom(
      ..."https:// http:// HTTP:// tg: tg:// www. mailto: ftp: // / \\ : :80 :0 :99999 ? # @ . .. a B9 com example.com".split(
        " ",
      ),
      ..."localhost 1 127.0.0.1 0x7f [::1] [::ffff:1.2.3.4] [zz] [ ] { } $ * % %61 %2 _ - ~ ! ' ( ) ; & + = , |".split(
        " ",
      ),
      " ",
      "\t",
      "\n",
      "\u0000",
      "\u00ad",
      "\u200b",
      "ü",
      "рф",
      "漢",
      "。",
      "👍",
      "\ud83d",
      "İ",
      "ß",
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(""));

test("Telegram refuses none of the links, and leads to where they say", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyUrl,
        anyUrl.map((url) => `https://${url}`),
        anyUrl.map((url) => `https://example.com${url}`),
      ),
      (url) => {
        const target = linkTarget(url);
        if (target.type === "text") return;
        const entity = { type: "text_link", offset: 0, length: 1, url: target.url };
        const complaints: string[] = [];
        const { entities } = formatText("a", [entity], "text", (what) => complaints.push(what));
        expect(complaints).toEqual([]);
        const stored = entities[0]?.url ?? "";
        if (/^https?:/i.test(target.url)) expect(URL.parse(stored)?.href).toBe(URL.parse(target.url)?.href);
      },
    ),
    { numRuns: 3_000 },
  );
});
