import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeAgentFolder } from "../src/playground/stand-in-model/agent-folder.ts";
import { type SeenRequest, type StandInModel, startStandInModel } from "../src/playground/stand-in-model.ts";
import { ASK_ANEW, labels, replies } from "../src/telegram/words.ts";
import { png } from "./builders.ts";
import { type RunningEvie, startEvie } from "./running-evie.ts";

/*
 * Pieces that come after their burst was flushed, with the real pi: what its model is asked next holds every part of
 * the album or of the paste once, and one answer stays in the chat.
 */

let model: StandInModel;
let evie: RunningEvie & AsyncDisposable;

beforeAll(async () => {
  model = await startStandInModel();
  evie = await startEvie({
    prepare: async (folder) => {
      const agentFolder = join(folder, "agent");
      await mkdir(agentFolder);
      await writeAgentFolder(agentFolder, model.baseUrl);
      return { PI_CODING_AGENT_DIR: agentFolder, PI_OFFLINE: "1", PI_TELEMETRY: "0" };
    },
  });
}, 60_000);

afterAll(async () => {
  await evie[Symbol.asyncDispose]();
  await model.close();
});

const script = (steps: unknown): string => `MOCK${JSON.stringify(steps)}`;
const LABEL = "[This continues the message above, of which it is a part that came late.]";

function asked(mark: string): readonly SeenRequest[] {
  return model.requests.filter(({ messages }) => messages.some(({ text }) => text.includes(mark)));
}

const users = (request: SeenRequest | undefined) =>
  (request?.messages ?? []).filter(({ role }) => role === "user");

test("the rest of a paste, when the agent has the first part already", { timeout: 60_000 }, async () => {
  const anna = evie.visitor();
  const mark = `late-paste ${script({ n: 400, delayMs: 20 })} `;
  const first = mark + "x".repeat(4_096 - mark.length);
  await anna.say(first);
  await anna.hears(({ text }) => text.includes("w0002"), "the first words");
  const rest = `the rest of it ${script({ text: "All of it read." })}`;
  await anna.say(rest);
  await anna.hears(({ text }) => text === "All of it read.", "the answer");
  const requests = asked("late-paste");
  expect(requests).toHaveLength(2);
  expect(users(requests[1]).map(({ text }) => text)).toEqual([first, `${LABEL}\n${rest}`]);
  // The answer that was begun is not left standing beside the one to the whole.
  expect(anna.said()).toEqual(["All of it read."]);
});

test("an album's last picture, when the agent has the others already", { timeout: 60_000 }, async () => {
  const anna = evie.visitor();
  // An agent that must start first may take longer than the pictures are apart.
  await anna.say(`warm ${script({ text: "Here." })}`);
  await anna.hears(({ text }) => text === "Here.", "an agent");
  const rest = `last one ${script({ text: "Both seen." })}`;
  const sending = anna.sendAlbum(
    [
      { bytes: png(20), caption: `late-album ${script({ n: 400, delayMs: 20 })}` },
      { bytes: png(40), caption: rest },
    ],
    { spacing: 3_500 },
  );
  await anna.hears(({ text }) => text === "Both seen.", "the answer", 30_000);
  await sending;
  const [, ...next] = users(asked("late-album").at(-1));
  expect(next.map(({ images }) => images.length)).toEqual([1, 1]);
  expect(next.at(-1)?.text).toBe(`${LABEL}\n${rest}`);
  expect(anna.said()).toEqual(["Here.", "Both seen."]);
});

test("a late picture joins the prompt that the agent does not have yet", { timeout: 60_000 }, async () => {
  const anna = evie.visitor();
  const slow = evie.api.faults.files({ kind: "slow", bytesPerSecond: 25, times: 1 });
  const caption = `early-album ${script({ text: "Seen as one." })}`;
  await anna.sendAlbum([{ bytes: png(120), caption }, { bytes: png(140) }], { spacing: 1_200 });
  await anna.hears(({ text }) => text === "Seen as one.", "the answer", 30_000);
  expect(slow.hits).toBe(1);
  const [only, ...others] = asked("early-album");
  expect(others).toEqual([]);
  expect(users(only).map(({ text, images }) => [text, images.length])).toEqual([[caption, 2]]);
});

test("a paste that Telegram cut in front of a slash word is one prompt, and its session stays", async () => {
  const anna = evie.visitor();
  const answer = script({ text: "All of it." });
  const first = `slash-paste ${answer} `.padEnd(4_090, "x");
  await anna.say(`${first}\n/clear the cache of ${"y".repeat(4_075)}\n/usr is full`);
  await anna.hears(({ text }) => text === "All of it.", "the answer");
  const [only, ...others] = asked("slash-paste");
  expect(others).toEqual([]);
  expect(users(only).map(({ text }) => text)).toEqual([
    `${first}\n\n/clear the cache of ${"y".repeat(4_075)}\n\n/usr is full`,
  ]);
  expect(anna.said()).toEqual(["All of it."]);
});

test("words behind /new are the first of the new session, and what Telegram cut of them joins them", async () => {
  const anna = evie.visitor();
  await anna.say(`new-words before ${script({ text: "Before." })}`);
  await anna.hears(({ text }) => text === "Before.", "the answer before");
  const words = `new-words ${script({ text: "Anew." })} `.padEnd(4_085, "x");
  await anna.say(`/new ${words}\n/usr is full`);
  await anna.hears(({ text }) => text === "Anew.", "the answer");
  expect(users(asked("new-words").at(-1)).map(({ text }) => text)).toEqual([`${words}\n\n/usr is full`]);
  expect(anna.said()).toEqual([
    // Its agent may not have settled yet when the command came.
    expect.stringMatching(/^Before\./),
    expect.stringMatching(/^New session/),
    "Anew.",
  ]);
});

test("words that are changed while the agent works are asked anew when that is wanted", async () => {
  const anna = evie.visitor();
  const slow = script({ n: 400, delayMs: 20 });
  const [message] = await anna.say(`changed-words fix the tset ${slow}`);
  await anna.hears(({ text }) => text.includes("w0002"), "the first words");
  anna.edit(message?.message_id ?? 0, `changed-words fix the test ${script({ text: "Fixed." })}`);
  const line = await anna.hears(({ text }) => text === replies.oldWords, "the line");
  expect(line.message.reply_to_message?.message_id).toBe(message?.message_id);
  const press = anna.press(line.id, ASK_ANEW);
  await anna.hears(({ text }) => text === "Fixed.", "the answer");
  expect(press.answer?.text).toBe(replies.askedAnew);
  expect(users(asked("changed-words").at(-1)).map(({ text }) => text)).toEqual([
    `changed-words fix the tset ${slow}`,
    `${labels.edited}\n\nchanged-words fix the test ${script({ text: "Fixed." })}`,
  ]);
});
