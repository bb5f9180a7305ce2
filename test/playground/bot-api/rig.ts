import { onTestFinished } from "vitest";
import type { BotApi, BotApiOptions } from "../../../src/playground/bot-api/bot-api.ts";
import type { Person } from "../../../src/playground/bot-api/person.ts";
import type { Message } from "../../../src/playground/bot-api/shapes.ts";
import { startBotApi } from "../../../src/playground/bot-api/start.ts";
import { createFakeClock } from "../../fakes/fake-clock.ts";
import type { FakeClock } from "../../fakes/fake-clock.ts";

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly ok: boolean;
  readonly error_code?: number;
  readonly description?: string;
  readonly parameters?: { readonly retry_after?: number };
  readonly result?: unknown;
}

export interface Rig {
  readonly api: BotApi;
  readonly clock: FakeClock;
  readonly ada: Person;
  /** Calls a method with a JSON body. */
  readonly call: (
    method: string,
    payload?: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ) => Promise<Answer>;
  /** Sends a text to Ada and gives the message. */
  readonly send: (text: string, more?: Readonly<Record<string, unknown>>) => Promise<Message>;
  readonly url: (method: string) => string;
}

export const ADA = { id: 7, first_name: "Ada", username: "ada" };

/** A server on a clock that stands still, with Ada, closed when the test ends. */
export async function startRig(options: Omit<BotApiOptions, "clock"> = {}): Promise<Rig> {
  const clock = createFakeClock();
  const api = await startBotApi({ ...options, clock });
  onTestFinished(() => api.close());
  const url = (method: string): string => `${api.root}/bot${api.token}/${method}`;
  const call: Rig["call"] = async (method, payload = {}, signal) =>
    readAnswer(
      await fetch(url(method), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(payload),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  const send: Rig["send"] = async (text, more = {}) => {
    const answer = await call("sendMessage", { chat_id: ADA.id, text, ...more });
    if (!answer.ok) throw new Error(answer.description);
    return answer.result as Message;
  };
  return { api, clock, ada: api.person(ADA), call, send, url };
}

export async function readAnswer(response: Response): Promise<Answer> {
  const body = (await response.json()) as Omit<Answer, "status" | "retryAfter">;
  return { status: response.status, retryAfter: response.headers.get("retry-after"), ...body };
}
