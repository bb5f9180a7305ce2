import { createHash } from "node:crypto";
import { fieldsOf, isObject, listOf, textOf } from "./json.ts";

/** A picture as it reached the model. */
export interface SeenImage {
  readonly mimeType: string;
  /** Bytes of the decoded picture. */
  readonly size: number;
  /** Of the decoded picture, in hexadecimal. */
  readonly sha256: string;
}

export interface SeenMessage {
  /** In OpenAI's words: system, developer, user, assistant, tool. */
  readonly role: string;
  readonly text: string;
  readonly images: readonly SeenImage[];
}

/** What one request asked of the model. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly SeenMessage[];
  /** The names of the tools on offer. */
  readonly tools: readonly string[];
}

/** Reads the body of an OpenAI chat completion request; undefined when it is not one that streams. */
export function readRequest(body: unknown): ModelRequest | undefined {
  const { model, messages, tools, stream } = fieldsOf(body);
  if (typeof model !== "string" || !Array.isArray(messages) || stream !== true) return undefined;
  return {
    model,
    messages: messages.map(readMessage),
    tools: listOf(tools).map((tool) => textOf(fieldsOf(fieldsOf(tool)["function"])["name"])),
  };
}

function readMessage(message: unknown): SeenMessage {
  const { role, content } = fieldsOf(message);
  if (typeof content === "string") return { role: textOf(role), text: content, images: [] };
  const parts = listOf(content).filter(isObject);
  return {
    role: textOf(role),
    text: parts.map((part) => (part["type"] === "text" ? textOf(part["text"]) : "")).join(""),
    images: parts.flatMap((part) =>
      part["type"] === "image_url" ? [readImage(textOf(fieldsOf(part["image_url"])["url"]))] : [],
    ),
  };
}

function readImage(url: string): SeenImage {
  const match = /^data:([^;,]*);base64,/.exec(url);
  const bytes = match === null ? Buffer.alloc(0) : Buffer.from(url.slice(match[0].length), "base64");
  return {
    mimeType: match?.[1] ?? "",
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}

/** Where the person's last message stands, -1 without one. Pictures that a tool made travel as a user's message and are not one. */
export function lastUserIndex({ messages }: ModelRequest): number {
  return messages.findLastIndex(
    ({ role, text }, index) =>
      role === "user" &&
      !(messages[index - 1]?.role === "tool" && text.startsWith("Attached image(s) from tool result")),
  );
}
