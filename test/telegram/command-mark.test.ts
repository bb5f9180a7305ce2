import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "grammy/types";
import { commandOf, withoutCommand } from "../../src/telegram/command-mark.ts";
import { type Loose, loose } from "../../src/telegram/loose.ts";
import { commandMark } from "./updates.ts";

interface Mark {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

const message = (text: string, entities: readonly Mark[] = []): Loose<Message> =>
  loose<Message>({ text, entities: [commandMark(text), ...entities] });

test.each<[string, string]>([
  ["/new fix it", "fix it"],
  ["/new@evie_bot   fix it", "fix it"],
  ["/new\nfix it\n  and that", "fix it\n  and that"],
  // The indentation of code is the author's, and the space behind a command is not.
  ["/new\n\n    if x:\n        y()", "    if x:\n        y()"],
  ["/new \t \n\tmake", "\tmake"],
  ["/stop: now", ": now"],
  ["/new /clear the cache", "/clear the cache"],
  ["/new 👩‍💻 ship", "👩‍💻 ship"],
  ["/new", ""],
])("behind the command of %j stands %j", (text, words) => {
  const mark = { ...commandMark(text), length: /^\/[\w@]+/.exec(text)?.[0].length ?? 0 };
  expect(withoutCommand(loose<Message>({ text, entities: [mark] })).text).toBe(words);
});

test("an entity that covers the command as well covers the rest of what it covered", () => {
  const cut = withoutCommand(
    message("/new fix it now", [
      { type: "bold", offset: 0, length: 15 },
      { type: "text_link", offset: 5, length: 3, url: "https://example.com" },
      { type: "italic", offset: 3, length: 1 },
    ]),
  );
  expect(cut.entities).toEqual([
    { type: "bold", offset: 0, length: 10 },
    { type: "text_link", offset: 0, length: 3, url: "https://example.com" },
  ]);
});

test("a message without a command, and a forwarded one, stay as they are", () => {
  const plain = loose<Message>({
    text: "say /new",
    entities: [{ type: "bot_command", offset: 4, length: 4 }],
  });
  expect([commandOf(plain), withoutCommand(plain)]).toEqual([undefined, plain]);
  const forwarded = loose<Message>({ ...message("/new x"), forward_origin: { type: "hidden_user" } });
  expect([commandOf(forwarded), withoutCommand(forwarded)]).toEqual([undefined, forwarded]);
});

test("whatever stands behind a command, each entity covers the same words as before, and no word is lost", () => {
  const words = fc.stringMatching(/^[a-z 👍\n\tß]{0,30}$/u);
  const places = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 50 })), { maxLength: 5 });
  fc.assert(
    fc.property(words, places, (behind, marks) => {
      const text = `/new ${behind}`;
      const entities = marks
        .filter(([offset, length]) => offset + length <= text.length)
        .map(([offset, length]) => ({ type: "bold", offset, length }));
      const { text: rest, entities: shifted } = withoutCommand(message(text, entities));
      if (typeof rest !== "string") throw new Error("the text is gone");
      expect(rest.trimStart()).toBe(behind.trimStart());
      const cut = text.length - rest.length;
      const covered = (from: number, to: number, all: string) => all.slice(from, to);
      expect(
        (shifted as readonly Mark[]).map(({ offset, length }) => covered(offset, offset + length, rest)),
      ).toEqual(
        entities
          .filter(({ offset, length }) => offset + length > cut)
          .map(({ offset, length }) => covered(Math.max(offset, cut), offset + length, text)),
      );
    }),
  );
});
