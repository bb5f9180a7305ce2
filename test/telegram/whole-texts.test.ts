import { InputFile } from "grammy";
import { expect, test } from "vitest";
import { createPerform } from "../../src/telegram/perform.ts";
import { wholeTexts } from "../../src/telegram/whole-texts.ts";
import { startApiRig } from "./api-rig.ts";

const HERE = { chatId: 7 };

async function setUp() {
  const rig = await startApiRig();
  rig.api.config.use(wholeTexts);
  return { ...rig, perform: createPerform(rig.api, rig.clock, new AbortController().signal) };
}

test("no half of a character and no NUL goes to Telegram, and entities stay where they were", async () => {
  const { perform, server } = await setUp();
  const entities = [{ type: "bold", offset: 5, length: 4 }] as const;
  await perform(HERE, {
    type: "send",
    content: { text: "a\0b \ud83dbold", entities },
    silent: true,
    button: { text: "go \ude00", data: "x" },
  });
  expect(server.callsOf("sendMessage").at(-1)?.payload).toMatchObject({
    text: "a\ufffdb \ufffdbold",
    entities,
    reply_markup: { inline_keyboard: [[{ text: "go \ufffd", callback_data: "x" }]] },
  });
});

test("a file goes without them, and is sent as a file", async () => {
  const { perform, server, ada, api } = await setUp();
  ada.sendService({});
  await perform(HERE, { type: "document", name: "answer.md", text: "a\0b \ud83d 😀" });
  await api.sendDocument(7, new InputFile(Buffer.from("c"), "c.txt"), { caption: "d\ud83d" });
  const files = server.chat(7).botMessages.map(({ message }) => message.document?.file_id ?? "");
  expect(server.callsOf("sendDocument").at(-1)?.payload).toMatchObject({ caption: "d\ufffd" });
  expect(files).toHaveLength(2);
  const path = await api.getFile(files[0] ?? "");
  const root = server.root;
  const response = await fetch(`${root}/file/bot${server.token}/${path.file_path}`);
  expect(await response.text()).toBe("ab \ufffd 😀");
});
