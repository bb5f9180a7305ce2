import { expect, test } from "vitest";
import { reasonOf } from "../../../src/agent/pi/reason.ts";

const INSTEAD = "Run `pi` on evie's machine to set that up.";

test.each([
  ["overloaded", "the provider is overloaded. Wait a minute, then send the message again."],
  ['500: {\n  "a": 1\n}', "the provider's server failed (500). Wait a minute, then send the message again."],
  [
    "No API key found for the selected model.\n\nUse /login to log into a provider via OAuth or API key. See:\n  /usr/lib/docs/providers.md\n  /usr/lib/docs/models.md",
    `No API key found for the selected model. ${INSTEAD}`,
  ],
  [
    "No model selected.\n\nUse /login to log in. See:\n  /docs/providers.md\n\nThen use /model to select a model.",
    `No model selected. ${INSTEAD}`,
  ],
  ["Authentication failed. Run '/login acme' to re-authenticate.", `Authentication failed. ${INSTEAD}`],
  ["Use /login first.", INSTEAD],
  ["cannot open /login/x and /home/me/model", "cannot open /login/x and /home/me/model"],
  ["no such file: /srv/model", "no such file: /srv/model"],
])("%j becomes a line that helps", (text, line) => {
  expect(reasonOf(text)).toBe(line);
});

test("a reason of pages is cut", () => {
  expect(reasonOf("word ".repeat(10_000)).length).toBeLessThanOrEqual(300);
});
