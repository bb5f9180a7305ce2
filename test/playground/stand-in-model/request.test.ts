import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { lastUserIndex, readRequest } from "../../../src/playground/stand-in-model/request.ts";

const picture = Buffer.from("not really a picture");
const url = `data:image/png;base64,${picture.toString("base64")}`;

test("a request is read: texts, pictures by type, size and hash, names of tools", () => {
  expect(
    readRequest({
      model: "m",
      stream: true,
      messages: [
        { role: "system", content: "be kind" },
        {
          role: "user",
          content: [
            { type: "text", text: "look" },
            { type: "image_url", image_url: { url } },
          ],
        },
        { role: "assistant", content: null, tool_calls: [] },
      ],
      tools: [{ type: "function", function: { name: "bash" } }],
    }),
  ).toEqual({
    model: "m",
    messages: [
      { role: "system", text: "be kind", images: [] },
      {
        role: "user",
        text: "look",
        images: [
          {
            mimeType: "image/png",
            size: picture.length,
            sha256: createHash("sha256").update(picture).digest("hex"),
          },
        ],
      },
      { role: "assistant", text: "", images: [] },
    ],
    tools: ["bash"],
  });
});

test.each([
  ["nothing", undefined],
  ["a list", []],
  ["no messages", { model: "m", stream: true }],
  ["no model", { messages: [], stream: true }],
  ["an answer in one piece", { model: "m", messages: [], stream: false }],
])("what is no streaming request is refused: %s", (_name, body) => {
  expect(readRequest(body)).toBeUndefined();
});

test("a picture that a tool made is not taken for the person's last message", () => {
  const message = (role: string, text = "") => ({ role, text, images: [] });
  const messages = [
    message("user", "first"),
    message("assistant"),
    message("tool"),
    message("user", "Attached image(s) from tool result:"),
  ];
  expect(lastUserIndex({ model: "m", tools: [], messages })).toBe(0);
  expect(lastUserIndex({ model: "m", tools: [], messages: [...messages, message("user", "second")] })).toBe(
    4,
  );
});
