import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalFormatted, type Entity, type FormattedText } from "../../src/telegram/entities.ts";
import {
  planPlain,
  reconcile,
  type Operation,
  type PageOperation,
  type Plainness,
  type ShownMessage,
} from "../../src/telegram/reconcile.ts";

const plain = (text: string): FormattedText => ({ text, entities: [] });
const bold = (text: string): FormattedText => {
  return { text, entities: [{ type: "bold", offset: 0, length: text.length }] };
};
const linked = (words: string, url = "https://example.com/a"): FormattedText => {
  const entities: Entity[] = [
    { type: "bold", offset: 0, length: words.length },
    { type: "text_link", offset: 0, length: words.length, url },
  ];
  return { text: words, entities };
};
const shown = (messageId: number, page: FormattedText, plainness: Plainness = false): ShownMessage => {
  return { messageId, ...page, plain: plainness };
};

const send = (page: number, content: FormattedText): PageOperation => ({ type: "send", page, content });
const edit = (page: number, messageId: number, content: FormattedText): PageOperation => {
  return { type: "edit", page, messageId, content };
};
const remove = (messageId: number): Operation => ({ type: "delete", messageId });

const streaming = { final: false };
const final = { final: true };

describe("what a chat needs to show the wanted pages", () => {
  test.each<[string, readonly ShownMessage[], readonly FormattedText[], readonly Operation[]]>([
    ["nothing, when nothing is wanted and nothing there", [], [], []],
    ["a message for each page", [], [plain("a"), bold("b")], [send(0, plain("a")), send(1, bold("b"))]],
    ["nothing, when it shows them", [shown(7, bold("a"))], [bold("a")], []],
    ["an edit of what reads differently", [shown(7, plain("a"))], [plain("b")], [edit(0, 7, plain("b"))]],
    ["an edit of what looks differently", [shown(7, plain("a"))], [bold("a")], [edit(0, 7, bold("a"))]],
    [
      "an edit of the last page and a new one, with the full page untouched",
      [shown(7, plain("a")), shown(8, plain("b"))],
      [plain("a"), plain("bb"), plain("c")],
      [edit(1, 8, plain("bb")), send(2, plain("c"))],
    ],
    [
      "the surplus deleted from the end, after the edits",
      [shown(7, plain("a")), shown(8, plain("b")), shown(9, plain("c"))],
      [plain("aa")],
      [edit(0, 7, plain("aa")), remove(9), remove(8)],
    ],
    ["everything deleted when nothing is wanted", [shown(7, plain("a"))], [], [remove(7)]],
    ["nothing, when only white space at the ends differs", [shown(7, plain("a"))], [plain("\n a \n")], []],
    [
      "nothing, when entities differ only by the white space before them",
      [shown(7, bold("a"))],
      [{ text: " a", entities: [{ type: "bold", offset: 1, length: 1 }] }],
      [],
    ],
  ])("is %s", (_name, there, wanted, operations) => {
    expect(reconcile(there, wanted, streaming)).toEqual(operations);
  });

  test("leaves nothing to do once it is done", () => {
    const page = fc.record({
      text: fc.stringMatching(/^ ?[ab]{1,3}\n?$/),
      entities: fc.constantFrom([], bold("a").entities),
    });
    fc.assert(
      fc.property(fc.array(page), fc.array(page), fc.boolean(), (before, wanted, isFinal) => {
        const there = before.map((content, at) => shown(at, content));
        const after = perform(there, reconcile(there, wanted, { final: isFinal }));
        expect(after).toHaveLength(wanted.length);
        expect(reconcile(after, wanted, { final: isFinal })).toEqual([]);
      }),
    );
  });
});

describe("a message whose entities Telegram refused", () => {
  test.each<[string, Plainness, { final: boolean }, FormattedText, readonly Operation[]]>([
    ["stays plain while the answer streams", "until final", streaming, bold("b"), [edit(0, 7, plain("b"))]],
    ["is left alone while only its looks are missing", "until final", streaming, bold("a"), []],
    ["tries its entities again at the end", "until final", final, bold("a"), [edit(0, 7, bold("a"))]],
    ["has nothing to try at the end without entities", "until final", final, plain("a"), []],
    ["stays plain for good when that was refused too", "for good", final, bold("a"), []],
    [
      "stays without its links while the answer streams, with the other entities",
      "no links until final",
      streaming,
      linked("b"),
      [edit(0, 7, bold("b"))],
    ],
    [
      "tries its links again at the end",
      "no links until final",
      final,
      linked("b"),
      [edit(0, 7, linked("b"))],
    ],
    [
      "stays without its links for good when they were refused at the end",
      "no links for good",
      final,
      linked("b"),
      [edit(0, 7, bold("b"))],
    ],
    [
      "still takes new words when it is plain for good",
      "for good",
      final,
      bold("b"),
      [edit(0, 7, plain("b"))],
    ],
  ])("%s", (_name, plainness, options, wanted, operations) => {
    expect(reconcile([shown(7, plain("a"), plainness)], [wanted], options)).toEqual(operations);
  });

  test.each([
    [
      "is sent plain until its final",
      send(0, bold("a")),
      undefined,
      streaming,
      { operation: send(0, plain("a")), plain: "until final" },
    ],
    [
      "is sent without its links first",
      send(0, linked("a")),
      undefined,
      streaming,
      { operation: send(0, bold("a")), plain: "no links until final" },
    ],
    [
      "is without its links for good when its final was refused with them",
      edit(0, 7, linked("a")),
      shown(7, bold("a"), "no links until final"),
      final,
      { operation: undefined, plain: "no links for good" },
    ],
    [
      "is edited plain until its final",
      edit(0, 7, bold("b")),
      shown(7, bold("a")),
      streaming,
      { operation: edit(0, 7, plain("b")), plain: "until final" },
    ],
    [
      "is plain for good when its final was refused",
      edit(0, 7, bold("b")),
      shown(7, plain("a"), "until final"),
      final,
      { operation: edit(0, 7, plain("b")), plain: "for good" },
    ],
    [
      "is not edited when it reads so already",
      edit(0, 7, bold("a")),
      shown(7, plain("a"), "until final"),
      final,
      { operation: undefined, plain: "for good" },
    ],
  ] as const)("%s", (_name, refused, there, options, plan) => {
    expect(planPlain(refused, there, options)).toEqual(plan);
  });

  test.each([
    {
      name: "is tried with entities once while streaming and once at the end, and never again",
      look: bold,
      tries: [bold("a"), bold("abc")],
    },
    {
      name: "is tried with links, then without them, once while streaming and once at the end",
      look: (text: string) => linked(text),
      tries: [linked("a"), bold("a"), linked("abc"), bold("abc")],
    },
  ])("$name", ({ look, tries: expected }) => {
    const tries: FormattedText[] = [];
    let there: readonly ShownMessage[] = [];
    for (const [text, options] of [
      ["a", streaming],
      ["ab", streaming],
      ["abc", streaming],
      ["abc", final],
      ["abc", final],
    ] as const) {
      for (;;) {
        const [operation] = reconcile(there, [look(text)], options);
        if (operation === undefined || operation.type === "delete") break;
        if (operation.content.entities.length === 0) {
          there = [shown(1, operation.content, there[0]?.plain ?? false)];
          continue;
        }
        tries.push(operation.content);
        const { plain: plainness } = planPlain(operation, there[0], options);
        there = [shown(1, there[0] ?? plain(""), plainness)];
      }
    }
    expect(tries).toEqual(expected);
    expect(there.map(({ entities, plain: plainness }) => [entities, plainness])).toEqual([[[], "for good"]]);
  });
});

/** What the chat shows after the operations. */
function perform(there: readonly ShownMessage[], operations: readonly Operation[]): readonly ShownMessage[] {
  let after = [...there];
  for (const operation of operations) {
    if (operation.type === "send") after.push(shown(100 + operation.page, operation.content));
    else if (operation.type === "delete") {
      after = after.filter(({ messageId }) => messageId !== operation.messageId);
    } else {
      expect(equalFormatted(after[operation.page] ?? plain(""), operation.content)).toBe(false);
      after[operation.page] = shown(operation.messageId, operation.content);
    }
  }
  return after;
}
