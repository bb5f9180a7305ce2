import type { IncomingMessage } from "node:http";
import { parseMultipart } from "../bot-api/multipart.ts";
import type { Person, Press } from "../bot-api/person.ts";
import type { Change } from "../bot-api/bot-api.ts";
import type { TroubleSwitches } from "../troubles.ts";
import { LARGEST_FILE, LONGEST_TEXT } from "../wire.ts";
import { readBody, readJsonObject } from "./body.ts";
import { Refusal } from "./refusal.ts";
import { sendFiles } from "./send-files.ts";

/** A character is at most six bytes of JSON (`\u0000`). */
const LARGEST_JSON = 6 * LONGEST_TEXT + 4096;
const LARGEST_FORM = 2 * LARGEST_FILE;
const LONG_TEXT = "A text may have 1,048,576 characters at most. Send it as a file instead.";
const LARGE_FILES = "These files are too large: 50 MB each, and 100 MB together, is the most.";

export interface ActionsOptions {
  readonly person: Person;
  readonly troubles: TroubleSwitches;
  readonly onChange: (listener: (change: Change) => void) => () => void;
  /** Shows the person what the bot answered to a button. */
  readonly toast: (text: string) => void;
}

/** What the page may do, as its person; one thing at a time, in order, as one client does. Throws a Refusal. */
export function createActions({ person, troubles, onChange, toast }: ActionsOptions) {
  let line: Promise<unknown> = Promise.resolve();
  let presses: readonly Press[] = [];

  onChange(({ kind }) => {
    if (kind !== "press") return;
    const answered = presses.filter(({ answer }) => answer !== undefined);
    presses = presses.filter(({ answer }) => answer === undefined);
    for (const { answer } of answered) if (answer?.text !== undefined) toast(answer.text);
  });

  async function perform(name: string, request: IncomingMessage): Promise<() => unknown> {
    if (name === "send") {
      const body = await readBody(request, LARGEST_FORM, LARGE_FILES);
      const form = parseMultipart(body, request.headers["content-type"] ?? "");
      if (form === undefined || form.uploads.size === 0)
        throw new Refusal(400, "There are no files in this form.");
      return () => sendFiles(person, form);
    }
    if (!(request.headers["content-type"] ?? "").startsWith("application/json"))
      throw new Refusal(415, "The body has to be JSON.");
    const body = readJsonObject(await readBody(request, LARGEST_JSON, LONG_TEXT));
    switch (name) {
      case "say": {
        const text = textOf(body, "text");
        const replyTo = body["replyTo"] === undefined ? undefined : numberOf(body, "replyTo");
        const quote = body["quote"] === undefined ? undefined : textOf(body, "quote");
        const reply = replyTo === undefined ? {} : { reply_to: replyTo };
        return () => person.say(text, { ...reply, ...(quote === undefined ? {} : { quote }) });
      }
      case "edit": {
        const [id, text] = [numberOf(body, "id"), textOf(body, "text")];
        if (text.length > 4096)
          throw new Refusal(413, "An edited message may have 4,096 characters at most.");
        return () => person.edit(id, text);
      }
      case "delete": {
        const id = numberOf(body, "id");
        return () => person.delete(id);
      }
      case "press": {
        const [id, data] = [numberOf(body, "id"), textOf(body, "data")];
        return () => {
          presses = [...presses, person.press(id, data)];
        };
      }
      case "trouble": {
        const trouble = body["name"];
        if (trouble !== "flood" && trouble !== "outage" && trouble !== "slowFiles")
          throw new Refusal(400, "There is no such trouble.");
        return () => troubles.set(trouble, body["on"] === true);
      }
      default:
        throw new Refusal(404, "There is no such action.");
    }
  }

  return async function act(name: string, request: IncomingMessage): Promise<void> {
    const work = await perform(name, request);
    const done = line.then(work).catch((error: unknown) => {
      // What the client may not do, such as to answer a message that is gone.
      throw error instanceof RangeError ? new Refusal(409, error.message) : error;
    });
    line = done.catch(() => undefined);
    await done;
  };
}

type Body = Readonly<Record<string, unknown>>;

function textOf(body: Body, name: string): string {
  const value = body[name];
  if (typeof value !== "string" || value.trim() === "") throw new Refusal(400, `“${name}” has to be a text.`);
  if (value.length > LONGEST_TEXT) throw new Refusal(413, LONG_TEXT);
  return value;
}

function numberOf(body: Body, name: string): number {
  const value = body[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    throw new Refusal(400, `“${name}” has to be a whole number.`);
  return value;
}
