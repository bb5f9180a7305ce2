import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../src/domain/events.ts";
import type { SessionInfo, WireEvent } from "../src/domain/wire.ts";
import { FAKE_AGENT, freePort, type RunningEvie, startEvie, type Visitor } from "./running-evie.ts";

/*
 * An agent, a real program on a real pipe, that does not heed being told to stop and prints on until it is killed five
 * seconds later: what each face shows of its turn meanwhile.
 */

let evie: RunningEvie & AsyncDisposable;
let base: string;

beforeAll(async () => {
  const port = await freePort();
  evie = await startEvie({
    env: { EVIE_HTTP_PORT: `${port}`, EVIE_AGENT_COMMAND: `${process.execPath} ${FAKE_AGENT}` },
  });
  await evie.wrote((output) => output.includes("/#key="), "the deck's link");
  base = `http://127.0.0.1:${port}`;
}, 60_000);

afterAll(() => evie[Symbol.asyncDispose]());

/** A prompt whose answer goes on for twenty seconds, whatever evie says. */
const STUBBORN = `go on FAKE${JSON.stringify({ deltas: 400, overMs: 20_000, ignoreAbort: true })}`;

async function call(method: string, path: string, body?: object): Promise<Response> {
  const token = readFileSync(join(evie.home, "http-token"), "utf8").trim();
  return await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function ask<Value>(method: string, path: string, body?: object): Promise<Value> {
  return (await (await call(method, path, body)).json()) as Value;
}

/** Somebody in whose chat such an answer has begun. */
async function visitorOfStubborn(): Promise<Visitor> {
  const visitor = evie.visitor();
  await visitor.say(STUBBORN);
  await visitor.hears(({ text }) => text.includes("w0010"), "the first words");
  return visitor;
}

const words = (text: string): readonly string[] => text.match(/w\d+/g) ?? [];

describe.concurrent("an agent that does not stop", () => {
  test.each([
    ["/stop", /\n\n\(stopped\)$/, ["Stopped."]],
    ["/clear", /\n\n\(stopped\)$/, [/^New session\./]],
    ["something else", /\n\n\(interrupted by your next message\)$/, []],
  ] as const)("says nothing more in its chat after %s", { timeout: 40_000 }, async (said, mark, replies) => {
    const anna = await visitorOfStubborn();
    await anna.say(said);
    const closed = await anna.hears(({ text }) => mark.test(text), "the mark", 3_000);
    const [final, edits] = [closed.text, closed.edits.length];
    expect(words(final).length).toBeLessThan(150);

    // It is answered when the agent has ended, or at once where the chat has a new session.
    await anna.say("next");
    const next = await anna.hears(({ text }) => /Echo:[^]*next/.test(text), "the next answer", 20_000);
    const shown = evie.api.chat(anna.chat.id).botMessages;
    const first = shown.find(({ id }) => id === closed.id);
    expect([first?.text, first?.edits.length]).toEqual([final, edits]);
    const typing = evie.api
      .callsOf("sendChatAction")
      .filter(
        ({ chatId, at }) => chatId === anna.chat.id && at > (closed.edits.at(-1)?.at ?? 0) && at < next.at,
      );
    expect(typing).toEqual([]);
    const others = shown.filter(({ id }) => id !== closed.id && id !== next.id).map(({ text }) => text);
    expect(others).toEqual(
      replies.map((reply) => (typeof reply === "string" ? reply : expect.stringMatching(reply))),
    );
  });

  test(
    "tells nobody who watches by HTTP what it says then, and what it was is in the record, marked",
    { timeout: 40_000 },
    async () => {
      const { id } = await ask<SessionInfo>("POST", "/api/sessions", {});
      const path = `/api/sessions/${id}`;
      const answer = ask<{ outcome: string; text: string }>("POST", `${path}/prompt`, { text: STUBBORN });
      const watching = new AbortController();
      const events = watch(await call("GET", `${path}/events`), watching.signal);
      await events.until(
        ({ type, ...event }) => type === "message_update" && JSON.stringify(event).includes("w0010"),
      );
      expect(await ask("POST", `${path}/abort`)).toEqual({ stopped: true });
      await events.until(({ type }) => type === "agent_end");
      watching.abort();

      const types = events.seen.map(({ type }) => type);
      expect(types.slice(types.indexOf("agent_interrupted"))).toEqual(["agent_interrupted", "agent_end"]);
      const [interrupted, ended] = events.seen.slice(-2);
      expect((ended?.at ?? 0) - (interrupted?.at ?? 0)).toBeGreaterThan(4_900);
      const { outcome, text } = await answer;
      expect(outcome).toBe("stopped");
      const { messages } = await ask<{ messages: readonly Message[] }>("GET", path);
      const [cut, after] = messages.filter(({ role }) => role === "assistant");
      expect(textOf(cut)).toBe(text);
      expect([cut?.afterStop, after?.afterStop, after?.stopReason]).toEqual([undefined, true, "aborted"]);
      // All that it said, once: what it was seen to say, and what it said then.
      const all = [...words(text), ...words(textOf(after))];
      expect(all).toEqual(all.map((_, at) => `w${`${at + 1}`.padStart(4, "0")}`));
      expect(words(textOf(after)).length).toBeGreaterThan(50);
    },
  );
});

function textOf(message: Message | undefined): string {
  return (message?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The events of a session as a stream brings them. */
function watch({ body }: Response, ended: AbortSignal) {
  const seen: WireEvent[] = [];
  const waiting: { readonly matches: (event: WireEvent) => boolean; readonly resolve: () => void }[] = [];
  const take = (event: WireEvent): void => {
    seen.push(event);
    for (const { matches, resolve } of waiting) if (matches(event)) resolve();
  };
  const read = async (): Promise<void> => {
    let rest = "";
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const data = /^data: (.*)$/m.exec(part)?.[1];
        const frame = data === undefined ? {} : (JSON.parse(data) as { type?: string; event?: WireEvent });
        if (frame.type === "session_event" && frame.event !== undefined) take(frame.event);
      }
      if (ended.aborted) return;
    }
  };
  read().catch(() => undefined);
  return {
    seen,
    until: (matches: (event: WireEvent) => boolean): Promise<void> =>
      new Promise((resolve) => {
        if (seen.some(matches)) resolve();
        else waiting.push({ matches, resolve });
      }),
  };
}
