import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endOfAddress } from "../../src/domain/address.ts";

/** The address that begins in the text where `http` or `www` first stands. */
function addressIn(text: string): string | undefined {
  const from = text.search(/https?:|www\./i);
  const end = endOfAddress(text, from);
  return end === undefined ? undefined : text.slice(from, end);
}

describe("a bare address ends", () => {
  test.each([
    ["before a full stop of Chinese", "https://example.com。谢谢", "https://example.com"],
    ["before a comma of Chinese", "https://example.com/a，然后", "https://example.com/a"],
    ["before a corner bracket", "「https://example.com/a」です", "https://example.com/a"],
    ["before a wide bracket", "（https://example.com/a）", "https://example.com/a"],
    ["before other wide punctuation", "https://example.com/a？！：；、", "https://example.com/a"],
    [
      "before words of another script behind its domain",
      "访问https://example.com即可。",
      "https://example.com",
    ],
    ["before such words behind its port", "https://example.com:8080即可", "https://example.com:8080"],
    ["before curly quotation marks", "“https://example.com/a”", "https://example.com/a"],
    ["before angled quotation marks", "«https://example.com/a»", "https://example.com/a"],
    ["before a straight quotation mark", '"https://example.com/a"', "https://example.com/a"],
    [
      "before an apostrophe that was opened",
      "['https://a.example/b','https://c.example']",
      "https://a.example/b",
    ],
    [
      "before an ellipsis and a long dash",
      "https://example.com/a… https://example.com/b—c",
      "https://example.com/a",
    ],
    ["before a long dash", "https://example.com/b—c", "https://example.com/b"],
    ["before a full stop", "see https://example.com/a.", "https://example.com/a"],
    ["before several of them", "https://example.com/a?!...", "https://example.com/a"],
    ["before a comma", "https://example.com/a, b", "https://example.com/a"],
    ["before a bracket that it did not open", "(https://example.com/a) b", "https://example.com/a"],
    ["before such a bracket, whatever follows", "(https://example.com/a)b/c", "https://example.com/a"],
    ["behind a bracket that it opened", "https://example.com/a_(b) c", "https://example.com/a_(b)"],
    ["before a bracket that nobody closes", "https://example.com/a(", "https://example.com/a"],
    ["before stars", "**https://x.example** b", "https://x.example"],
    ["before stars and more", "**https://x.example/a**，b", "https://x.example/a"],
    ["before stars and a word", "**https://x.example/a**b", "https://x.example/a"],
    ["before stars far behind those that were opened", "**see https://x.example/a**b", "https://x.example/a"],
    ["before the star that was opened", "*https://x.example/a*,b", "https://x.example/a"],
    ["before tildes", "~~https://x.example/a~~，b", "https://x.example/a"],
    ["before underscores", "__https://x.example/a__", "https://x.example/a"],
    ["before bars", "||https://x.example/a||b", "https://x.example/a"],
    ["before an angle bracket", "https://example.com<b>", "https://example.com"],
    ["before a backtick", "https://example.com/a`b`", "https://example.com/a"],
    ["before a backslash", "https://example.com/a\\_b", "https://example.com/a"],
    ["before a space of no width", "https://example.com/a\u200bb", "https://example.com/a"],
    ["before a wide space", "https://example.com/a\u3000b", "https://example.com/a"],
    ["before an emoji", "https://example.com/a✅", "https://example.com/a"],
    ["before a character reference", "https://example.com/a&quot;&gt;.", "https://example.com/a"],
    ["before the next one of a list", "https://a.example/b,https://c.example/d", "https://a.example/b"],
    ["before a colon without a port", "https://example.com: b", "https://example.com"],
    ["at the text's end", "https://example.com", "https://example.com"],
  ])("%s", (_, text, address) => {
    expect(addressIn(text)).toBe(address);
  });
});

describe("a bare address goes on", () => {
  test.each([
    ["over a query and a fragment", "https://example.com/a?b=c&d=e,f;g#h!i"],
    ["over underscores, tildes and single stars", "https://example.com/__init__.py/~user/*/a_b"],
    ["over an apostrophe inside", "https://example.com/it's"],
    ["over coordinates", "https://maps.example.com/@48.85,2.35,15z"],
    ["over another address in its path", "https://web.example.com/2020/https://example.com/a"],
    ["over letters of other scripts in its path", "https://zh.example.org/wiki/人工智能_(电影)"],
    ["over letters of other scripts in its host", "https://пример.рф/путь"],
    ["over letters with marks in its host", "https://www.münchen.de/ä"],
    ["over a short dash in a name", "https://example.org/wiki/Michelson–Morley"],
    ["over a joiner in a word", "https://example.org/wiki/می\u200cشود"],
    ["over a name and a port", "https://ada:secret@example.com:8443/a"],
    ["over a number for a host", "http://192.168.0.1:8080/a"],
    ["over a long number for a host", "http://[2001:db8::1]:8080/a"],
    ["over a host without a dot", "http://localhost:3000/a"],
    ["over the braces of a template", "https://s3.{region}.amazonaws.com/b/{key}/c"],
    ["over the variables of a template", "https://${HOST}:${PORT}/$path"],
    ["over the star of a template", "https://*.example.com/*/a"],
    ["over capitals", "HTTPS://EXAMPLE.COM/A"],
    ["over a host without a scheme", "www.example.com/a"],
  ])("%s", (_, address) => {
    expect(addressIn(`${address} b`)).toBe(address);
    expect(addressIn(`${address}, b`)).toBe(address);
  });
});

describe("no address is", () => {
  test.each([
    ["a scheme alone", "https://"],
    ["a scheme before a space", "https:// example.com"],
    ["a scheme before dots", "https://..."],
    ["three slashes", "https:///a"],
    ["the end of a longer scheme", "xhttps://example.com"],
    ["www alone", "www."],
    ["www inside a word", "awww.example.com"],
    ["www inside a mail address", "a@www.example.com"],
    ["www behind a scheme that is no web's", "ftp://www.example.com"],
  ])("%s", (_, text) => {
    expect(addressIn(text)).toBeUndefined();
  });
});

test("An address is never blank at its ends, and never cuts a character", () => {
  const piece = fc.constantFrom(
    "a",
    ".",
    "(",
    ")",
    "*",
    "_",
    "'",
    "/",
    "?",
    "漢",
    "，",
    "👍",
    "\u200d",
    "&amp;",
    " ",
    "{",
    "}",
    ":",
    "@",
  );
  fc.assert(
    fc.property(fc.constantFrom("https://", "http://a.b/", "www."), fc.array(piece), (start, pieces) => {
      const text = start + pieces.join("");
      const end = endOfAddress(text, 0) ?? 0;
      const address = text.slice(0, end);
      expect(address.isWellFormed()).toBe(true);
      expect(address).toBe(address.trim());
      expect(address).not.toMatch(/[.,?'(*_]$/);
    }),
  );
});

test("A hundred thousand signs that belong to no address cost no time", () => {
  const started = performance.now();
  for (const part of ["!", "(", "'", "&amp;", "http://!", "www.", "http://a,", "{", "*", ".a即"]) {
    const text = `https://example.com/${part.repeat(20_000)}`;
    for (let at = 0; at < 100; at += 1) endOfAddress(text, at);
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});
