import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closeFence } from "../../src/telegram/fence.ts";

describe("closing a code block that was left open", () => {
  test.each([
    ["nothing to close", "plain words", "plain words"],
    ["a block that is closed", "```ts\ncode\n```", "```ts\ncode\n```"],
    ["an open block", "see\n```ts\ncode", "see\n```ts\ncode\n```"],
    ["an open block of tildes", "~~~\ncode", "~~~\ncode\n~~~"],
    ["a long fence, which a short one does not close", "````\n```\ncode", "````\n```\ncode\n````"],
    ["a fence that a longer one closes", "```\ncode\n`````", "```\ncode\n`````"],
    ["another kind of fence inside", "```\n~~~\n", "```\n~~~\n\n```"],
    ["inline code of three backticks", "```not a fence```", "```not a fence```"],
    ["the second of two blocks", "```\na\n```\n```js\nb", "```\na\n```\n```js\nb\n```"],
    ["words behind a fence, which do not close it", "```\na\n``` more", "```\na\n``` more\n```"],
    ["an indented fence", "  ```\na", "  ```\na\n```"],
    ["four spaces, which make no fence", "    ```\na", "    ```\na"],
  ])("leaves %s as it should be", (_case, markdown, closed) => {
    expect(closeFence(markdown)).toBe(closed);
  });

  test("is done once: what is closed stays as it is", () => {
    const lines = fc.array(fc.constantFrom("```", "````", "~~~", "```ts", "words", "", "``` x", "  ```"));
    fc.assert(
      fc.property(lines, (parts) => {
        const closed = closeFence(parts.join("\n"));
        expect(closeFence(closed)).toBe(closed);
      }),
    );
  });
});
