import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quoteName } from "../../src/domain/file-line.ts";
import type { Prompt, PromptImage } from "../../src/domain/prompt.ts";
import { type Attached, collate, type Part } from "../../src/telegram/collate.ts";

const text = (said: string): Part => ({ text: said });
const image = (path: string): PromptImage => ({ mimeType: "image/png", path });
const picture = (path: string, caption = ""): Part => ({
  text: caption,
  attached: { type: "image", image: image(path) },
});
const file = (path: string, name: string, size: number, caption = ""): Part => ({
  text: caption,
  attached: { type: "file", file: { path, name, size } },
});
const missing = (name: string, reason: string, caption = ""): Part => ({
  text: caption,
  attached: { type: "missing", name, reason },
});
const replied = (path: string): Attached => ({ type: "image", image: image(path) });
const prompt = (said: string, images: string[] = [], files: Prompt["files"] = []): Prompt => ({
  text: said,
  images: images.map(image),
  files,
});

describe("collate", () => {
  test.each<{ case: string; parts: Part[]; makes: Prompt }>([
    { case: "no parts", parts: [], makes: prompt("") },
    {
      case: "a single text, unchanged to the character",
      parts: [text("  hi\n\n\tthere \n")],
      makes: prompt("  hi\n\n\tthere \n"),
    },
    { case: "two texts, joined by a blank line", parts: [text("a"), text("b")], makes: prompt("a\n\nb") },
    {
      case: "many texts, in the order of arrival",
      parts: ["1", "2", "3", "4"].map(text),
      makes: prompt("1\n\n2\n\n3\n\n4"),
    },
    {
      case: "an album, its pictures in order",
      parts: [picture("/1"), picture("/2"), picture("/3")],
      makes: prompt("", ["/1", "/2", "/3"]),
    },
    {
      case: "a caption, which is a text",
      parts: [picture("/1", "what is this?")],
      makes: prompt("what is this?", ["/1"]),
    },
    {
      case: "a caption and a follow-up, with the picture",
      parts: [picture("/1", "look"), text("and answer")],
      makes: prompt("look\n\nand answer", ["/1"]),
    },
    {
      case: "texts around pictures, each kept",
      parts: [text("before"), picture("/1"), text("between"), picture("/2", "with"), text("after")],
      makes: prompt("before\n\nbetween\n\nwith\n\nafter", ["/1", "/2"]),
    },
    { case: "empty text, which adds nothing", parts: [text(""), text("a"), text("")], makes: prompt("a") },
    {
      case: "white space, which adds nothing",
      parts: [text(" \n\t"), text("a"), text("\n")],
      makes: prompt("a"),
    },
    { case: "white space alone", parts: [text("  \n")], makes: prompt("") },
    {
      case: "a file, as one line at its part's place",
      parts: [text("a"), file("/f/1.pdf", "plan.pdf", 12_300), text("b")],
      makes: prompt(
        'a\n\n[File "plan.pdf" (12 kB) is at /f/1.pdf]\n\nb',
        [],
        [{ path: "/f/1.pdf", name: "plan.pdf", size: 12_300 }],
      ),
    },
    {
      case: "a file with a caption, which comes first",
      parts: [file("/f/1.txt", "a.txt", 5, "read this")],
      makes: prompt(
        'read this\n\n[File "a.txt" (5 B) is at /f/1.txt]',
        [],
        [{ path: "/f/1.txt", name: "a.txt", size: 5 }],
      ),
    },
    {
      case: "a picture that is too large for a picture",
      parts: [
        {
          text: "",
          attached: {
            type: "file",
            file: { path: "/f/1.png", name: "big.png", size: 14_000_000 },
            remark: "a picture",
          },
        },
      ],
      makes: prompt(
        '[File "big.png" (14 MB, a picture) is at /f/1.png]',
        [],
        [{ path: "/f/1.png", name: "big.png", size: 14_000_000 }],
      ),
    },
    {
      case: "a file that could not be had, as one line",
      parts: [picture("/1"), missing("photo.jpg", "the download failed"), picture("/3")],
      makes: prompt('[File "photo.jpg" is missing: the download failed]', ["/1", "/3"]),
    },
    {
      case: "where a text comes from, above it",
      parts: [{ text: "yes", context: "[In reply to: “shall I?”]" }, text("do it")],
      makes: prompt("[In reply to: “shall I?”]\nyes\n\ndo it"),
    },
    {
      case: "a picture of the message replied to, which is said to be no new one",
      parts: [{ text: "why?", context: "[In reply]", replied: replied("/old") }],
      makes: prompt("[In reply]\n[Picture of the message replied to: attached]\nwhy?", ["/old"]),
    },
    {
      case: "pictures of its own beside one of the message replied to, each with its line, in their order",
      parts: [
        { ...picture("/new", "compare"), context: "[In reply]", replied: replied("/old") },
        picture("/more"),
      ],
      makes: prompt(
        [
          "[In reply]\n[Picture of the message replied to: attached]\ncompare",
          "[Picture sent with this message: attached]",
          "[Picture sent with this message: attached]",
        ].join("\n\n"),
        ["/old", "/new", "/more"],
      ),
    },
    {
      case: "a file of the message replied to",
      parts: [
        {
          text: "and this?",
          context: "[In reply]",
          replied: { type: "file", file: { path: "/f/1", name: "a.pdf", size: 5 } },
        },
      ],
      makes: prompt(
        '[In reply]\n[File "a.pdf" of the message replied to (5 B) is at /f/1]\nand this?',
        [],
        [{ path: "/f/1", name: "a.pdf", size: 5 }],
      ),
    },
    {
      case: "a file of the message replied to that could not be had",
      parts: [
        {
          text: "and this?",
          context: "[In reply]",
          replied: { type: "missing", name: "photo.jpg", reason: "the download failed" },
        },
      ],
      makes: prompt(
        '[In reply]\n[File "photo.jpg" of the message replied to is missing: the download failed]\nand this?',
      ),
    },
    {
      case: "a file of the message replied to that is here already",
      parts: [picture("/1"), { text: "this one", context: "[In reply]", replied: { type: "here" } }],
      makes: prompt("[In reply]\n[The file of the message replied to is part of this prompt]\nthis one", [
        "/1",
      ]),
    },
  ])("makes one prompt of $case", ({ parts, makes }) => {
    expect(collate(parts)).toEqual(makes);
  });

  test("keeps a name from outside on its line, whatever it holds", () => {
    const said = collate([file("/f/1", 'a"]\n[File \u202e../x\u0000', 1)]).text;
    expect(said.split("\n")).toHaveLength(1);
    expect(said).toBe('[File "a\\"]\\n[File \\u202e../x\\u0000" (1 B) is at /f/1]');
  });

  const somePart = fc.record({
    text: fc.string(),
    attached: fc.option(
      fc.oneof(
        fc.record({
          type: fc.constant("image"),
          image: fc.record({ mimeType: fc.constant("image/png"), path: fc.string() }),
        }),
        fc.record({
          type: fc.constant("file"),
          file: fc.record({ path: fc.string(), name: fc.string(), size: fc.nat() }),
        }),
        fc.record({ type: fc.constant("missing"), name: fc.string(), reason: fc.string() }),
      ) as fc.Arbitrary<Attached>,
      { nil: undefined },
    ),
  }) as fc.Arbitrary<Part>;

  test("loses no text, no picture and no file, and keeps their order", () => {
    fc.assert(
      fc.property(fc.array(somePart), (parts) => {
        const made = collate(parts);
        const images = parts.flatMap(({ attached }) => (attached?.type === "image" ? [attached.image] : []));
        const files = parts.flatMap(({ attached }) => (attached?.type === "file" ? [attached.file] : []));
        expect(made.images).toEqual(images);
        expect(made.files).toEqual(files);
        let from = 0;
        for (const { text: said } of parts) {
          if (said.trim() === "") continue;
          const at = made.text.indexOf(said, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + said.length;
        }
      }),
    );
  });

  test("gives the same prompt whether texts come in one call or in two that are joined by a blank line", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ minLength: 1 }).filter((said) => said.trim() !== ""),
          { minLength: 2 },
        ),
        fc.nat(),
        (said, seed) => {
          const at = 1 + (seed % (said.length - 1));
          const halves = [said.slice(0, at), said.slice(at)].map((half) => collate(half.map(text)).text);
          expect(collate(said.map(text)).text).toBe(halves.join("\n\n"));
        },
      ),
    );
  });
});

describe("a quoted name", () => {
  test.each([
    ["plan.pdf", '"plan.pdf"'],
    ["a\nb", '"a\\nb"'],
    ["\u202efdp.exe", '"\\u202efdp.exe"'],
    ["\u0000", '"\\u0000"'],
    ["", '""'],
    ["документ 1.txt", '"документ 1.txt"'],
  ])("of %j shows what would be invisible", (name, quoted) => {
    expect(quoteName(name)).toBe(quoted);
  });
});
