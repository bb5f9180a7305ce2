import { request as httpRequest } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startPlayground, type Playground } from "../../src/playground/playground.ts";
import { keyIn } from "../../src/page-kit/keys.ts";
import type { Frame } from "../../src/playground/wire.ts";
import { realClock } from "../../src/clock.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A playground whose page is empty, with somebody who asks it for things as a browser does. */
export interface PlaygroundRig {
  readonly playground: Playground;
  readonly origin: string;
  /** The key that the link brings, as the page shows it. */
  readonly authorization: string;
  /** Sends exactly these headers, and the right Host unless one is given. */
  ask(path: string, asked?: Asked): Promise<Reply>;
  /** Does an action as the page does. */
  act(name: string, body: unknown): Promise<Reply>;
  /** Calls the embedded Bot API. */
  bot(method: string, payload?: object): Promise<{ readonly ok: boolean; readonly result: never }>;
  /** The texts of the messages that a bot would get, which are taken. */
  updates(): Promise<readonly string[]>;
  /** Frames as they come, the snapshot first. */
  watch(): AsyncGenerator<Frame>;
}

const PAGE = { js: "1", css: "a{}", html: "<p>page", icon: "<svg/>", readme: "read me" };

export async function startPlaygroundRig(): Promise<PlaygroundRig> {
  const folder = await mkdtemp(join(tmpdir(), "evie-playground-"));
  const playground = await startPlayground({
    folder,
    workspace: folder,
    model: "a model",
    port: undefined,
    page: PAGE,
    windowMs: 500,
    clock: realClock,
  });
  onTestFinished(async () => {
    await playground.close();
    await rm(folder, { recursive: true });
  });
  const { port, link, telegram } = playground;
  const origin = `http://127.0.0.1:${port}`;

  const ask: PlaygroundRig["ask"] = (path, { method = "GET", headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: "127.0.0.1", port, path, method, headers, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          );
        },
      );
      request.on("error", reject);
      request.end(body);
    });

  const authorization = `Bearer ${keyIn(link)?.key}`;

  const bot: PlaygroundRig["bot"] = async (method, payload = {}) => {
    const response = await fetch(`${telegram.apiRoot}/bot${telegram.token}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(payload),
    });
    return (await response.json()) as { ok: boolean; result: never };
  };

  return {
    playground,
    origin,
    authorization,
    ask,
    act: (name, body) =>
      ask(`/do/${name}`, {
        method: "POST",
        headers: { authorization, origin, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    bot,
    async updates() {
      const { result } = await bot("getUpdates", { offset: 0, timeout: 0 });
      const updates = result as {
        readonly message?: { readonly text?: string; readonly caption?: string };
      }[];
      return updates.map(({ message }) => message?.text ?? message?.caption ?? "");
    },
    async *watch() {
      const response = await fetch(`${origin}/events`, { headers: { authorization } });
      let text = "";
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        const records = text.split("\n\n");
        text = records.pop() ?? "";
        for (const record of records)
          if (record.startsWith("data: ")) yield JSON.parse(record.slice(6)) as Frame;
      }
    },
  };
}
