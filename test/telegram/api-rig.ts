import { Api } from "grammy";
import { onTestFinished } from "vitest";
import type { BotApi, BotApiOptions } from "../../src/playground/bot-api/bot-api.ts";
import type { Person } from "../../src/playground/bot-api/person.ts";
import { startBotApi } from "../../src/playground/bot-api/start.ts";
import { grammyFetch } from "../../src/telegram/fetch.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog, type MemoryLog } from "../fakes/memory-log.ts";

export interface ApiRig {
  /** The far side. */
  readonly server: BotApi;
  readonly ada: Person;
  /** grammY's way to it. */
  readonly api: Api;
  /** One clock for both sides. */
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  /** Waits until so many calls of a method have come. */
  called(method: string, times?: number): Promise<unknown>;
  /** Moves time on in steps, between which answers may come in, until `look` is true. */
  advanceUntil(look: () => boolean, stepMs?: number): Promise<void>;
}

export const ADA = { id: 7, first_name: "Ada" };

/** An embedded Bot API on a clock that stands still, closed when the test ends. */
export async function startApiRig(options: Omit<BotApiOptions, "clock"> = {}): Promise<ApiRig> {
  const clock = createFakeClock();
  const server = await startBotApi({ ...options, clock });
  onTestFinished(() => server.close());
  return {
    server,
    ada: server.person(ADA),
    api: new Api(server.token, { apiRoot: server.root, fetch: grammyFetch }),
    clock,
    log: createMemoryLog(),
    called: (method, times = 1) =>
      server.until(() => server.callsOf(method).length >= times, { what: `${times} × ${method}` }),
    async advanceUntil(look, stepMs = 500) {
      for (let step = 0; step < 5_000 && !look(); step += 1) {
        await clock.advance(stepMs);
        // What is real must keep up, or a deadline would pass while an answer is on its way.
        for (let round = 0; round < 8 && !look(); round += 1) await clock.settle();
      }
    },
  };
}
