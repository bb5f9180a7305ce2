import { type Api, GrammyError } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { createBackoff } from "./backoff.ts";
import { startDeadline } from "./deadline.ts";
import { removeWebhook, UnauthorizedError } from "./poller.ts";
import { toGrammy } from "./signals.ts";
import { COMMANDS } from "./words.ts";

export interface FirstCallsOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
}

/** What a bot asks Telegram for before its first poll. */
export interface FirstCalls {
  /**
   * Who the bot is, once no webhook keeps its updates from it. Tried until it works; undefined when `stopped` came
   * first. Rejects with UnauthorizedError.
   */
  introduce(stopped: AbortSignal): Promise<UserFromGetMe | undefined>;
  /** Sets the menu of commands, trying once. Never rejects. */
  offerCommands(closed: AbortSignal): Promise<void>;
}

/** Milliseconds for one call. */
const DEADLINE = 15_000;

export function createFirstCalls({ api, clock, log, random }: FirstCallsOptions): FirstCalls {
  /** Does one call until it works or nothing can make it work. Undefined when `stopped` came first. */
  async function insist<Value>(
    what: string,
    work: (signal: AbortSignal) => Promise<Value>,
    stopped: AbortSignal,
  ): Promise<Value | undefined> {
    const backoff = createBackoff(random);
    while (!stopped.aborted) {
      const deadline = startDeadline(clock, DEADLINE);
      try {
        return await work(AbortSignal.any([deadline.signal, stopped]));
      } catch (error) {
        if (stopped.aborted) break;
        const { code, asked } = refusalOf(error);
        if (code === 401 || code === 404) throw new UnauthorizedError({ cause: error });
        const wait = Math.max(asked, backoff.next());
        log.warn({ err: error, seconds: Math.round(wait / 1_000) }, `${what} did not work. Trying again`);
        await clock.sleep(wait, stopped);
      } finally {
        deadline.cancel();
      }
    }
    return undefined;
  }

  return {
    async introduce(stopped) {
      // Not `bot.init`, whose own retries say nothing and double their waits up to twenty minutes.
      const me = await insist(
        "Asking Telegram who the bot is",
        (deadline) => api.getMe(toGrammy(deadline)),
        stopped,
      );
      await insist("Removing a webhook", (deadline) => removeWebhook(api, deadline), stopped);
      return stopped.aborted ? undefined : me;
    },
    async offerCommands(closed) {
      const deadline = startDeadline(clock, DEADLINE);
      const commands = COMMANDS.map(({ name, description }) => ({ command: name, description }));
      try {
        await api.setMyCommands(commands, {}, toGrammy(AbortSignal.any([deadline.signal, closed])));
      } catch (error) {
        // The menu is a convenience, and the commands work without it.
        log.warn({ err: error }, "the menu of commands could not be set");
      } finally {
        deadline.cancel();
      }
    },
  };
}

/** Telegram's error code, and the milliseconds that it asks to wait. */
function refusalOf(error: unknown): { readonly code: number | undefined; readonly asked: number } {
  if (!(error instanceof GrammyError)) return { code: undefined, asked: 0 };
  return { code: error.error_code, asked: (error.parameters.retry_after ?? 0) * 1_000 };
}
