import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeAgentFolder } from "../src/playground/stand-in-model/agent-folder.ts";
import { type SeenRequest, type StandInModel, startStandInModel } from "../src/playground/stand-in-model.ts";
import { png } from "./builders.ts";
import { type RunningEvie, startEvie } from "./running-evie.ts";

/* What a person sent, as the real pi's model is asked it: formatting, files of messages replied to, broken characters. */

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

const answers = (text: string): string => `MOCK${JSON.stringify({ text })}`;

/** What the model was asked last in the request that holds the mark. */
function asked(mark: string): SeenRequest["messages"][number] | undefined {
  return model.requests
    .flatMap(({ messages }) => messages.filter(({ role }) => role === "user"))
    .findLast(({ text }) => text.includes(mark));
}

test(
  "a link and a struck word are in the prompt, and halves of characters are not",
  { timeout: 60_000 },
  async () => {
    const anna = evie.visitor();
    const text = `👍 read the article not now \ud83d ${answers("Read.")}`;
    const over = (words: string, entity: { readonly type: string; readonly url?: string }) => ({
      ...entity,
      offset: text.indexOf(words),
      length: words.length,
    });
    const link = over("the article", { type: "text_link", url: "https://a.example/x" });
    await anna.say(text, { entities: [link, over("not", { type: "strikethrough" })] });
    await anna.hears((message) => message.text === "Read.", "the answer");
    expect(asked("the article")?.text).toBe(
      `👍 read [the article](https://a.example/x) ~~not~~ now \ufffd ${answers("Read.")}`,
    );
  },
);

test(
  "a reply to a picture brings it along behind /clear, and one that is gone is told",
  { timeout: 60_000 },
  async () => {
    const anna = evie.visitor();
    const { message_id } = anna.sendPhoto(png(20), { caption: answers("Nice.") });
    await anna.hears(({ text }) => text === "Nice.", "the first answer");
    await anna.say("/clear");
    await anna.hears(({ text }) => text.startsWith("New session."), "the new session");
    await anna.say(`what was it ${answers("A picture.")}`, { reply_to: message_id });
    await anna.hears(({ text }) => text === "A picture.", "the second answer");
    expect(asked("what was it")).toMatchObject({
      images: [expect.anything()],
      text: expect.stringContaining("[Picture of the message replied to: attached]"),
    });

    evie.api.faults.files({ kind: "missing" });
    await anna.say(`and now ${answers("Nothing there.")}`, { reply_to: message_id });
    await anna.hears(
      ({ text }) => text.startsWith("“photo.jpg”, to which you replied, did not reach"),
      "why",
    );
    await anna.hears(({ text }) => text === "Nothing there.", "the third answer");
    expect(asked("and now")).toMatchObject({
      images: [],
      text: expect.stringContaining('[File "photo.jpg" of the message replied to is missing: '),
    });
  },
);
