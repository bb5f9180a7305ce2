import { expect, test } from "vitest";
import { plainOutput } from "../../src/deck/terminal-text.ts";

test.each([
  ["\u001b[31mred\u001b[0m and \u001b[1;38;5;208mbold\u001b[m", "red and bold"],
  ["\u001b]0;a title\u0007text", "text"],
  ["\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["\u001b[2K\u001b[1G 10 %\r 50 %\r100 %\r\ndone\r\n", "100 %\ndone\n"],
  ["cut off \u001b[3", "cut off "],
  ["a\u0008\u0000b\tc", "ab\tc"],
  ["plain [31m text", "plain [31m text"],
  ["\u009b32mgreen", "green"],
  ["\u001b(Bcharset \u001b7saved\u001b8", "charset saved"],
])("%j", (written, read) => {
  expect(plainOutput(written)).toBe(read);
});
