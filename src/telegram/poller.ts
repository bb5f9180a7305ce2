import { createConcurrentSink, createRunner, createSource } from "@grammyjs/runner";
import { type Api, GrammyError } from "grammy";
import type { Update } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Backoff } from "./backoff.ts";
import { startDeadline } from "./deadline.ts";
import { type GrammySignal, toGrammy, toNative } from "./signals.ts";
import { isAway } from "./timing.ts";

/** Seconds that Telegram may hold a poll when there is nothing new. */
const POLL_TIMEOUT = 30;
/** Milliseconds on top, after which a poll that says nothing is given up. */
const POLL_MARGIN = 15_000;
/**
 * Milliseconds that keeping a batch may take and count into its windows. After longer ones, as on a full disk, what
 * belongs to the batch may come right behind it, and must not find its window over.
 */
const KEPT_WITHIN = 100;
/** Milliseconds of nothing but conflicts after which evie leaves the bot to whoever else polls it. */
const CONFLICT_LIMIT = 5 * 60_000;
/** Milliseconds for the last confirmation, at the end. */
const CONFIRM_DEADLINE = 2_000;
/** Milliseconds to remove a webhook. */
const WEBHOOK_DEADLINE = 15_000;

const ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"] as const;

/** Telegram does not know the bot's token. */
export class UnauthorizedError extends Error {
  override readonly name = "UnauthorizedError";
  constructor(options?: ErrorOptions) {
    super(
      "Telegram does not accept TELEGRAM_BOT_TOKEN. Copy it again from @BotFather, who can also give a new one (/token).",
      options,
    );
  }
}

/** Another program polls the same bot. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  constructor(options?: ErrorOptions) {
    super(
      "Another program receives this bot's messages. Stop it, or give evie a bot of its own; each bot can have only one.",
      options,
    );
  }
}

export interface PollerOptions {
  readonly api: Api;
  /**
   * Makes a batch safe, before Telegram is told that it was received. Gives what is new of it, in order; undefined when
   * it could not before `stopped`.
   */
  readonly keep: (batch: readonly Update[], stopped: AbortSignal) => Promise<readonly Update[] | undefined>;
  /** Takes one new update. Called synchronously, in Telegram's order. */
  readonly handle: (update: Update) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** The waits after a poll that failed. */
  readonly backoff: Backoff;
  /** The waits after a poll that another program's poll has ended. */
  readonly conflictBackoff: Backoff;
}

export interface Poller {
  /** Receives until it is stopped. Rejects with UnauthorizedError or ConflictError, and with nothing else. */
  run(): Promise<void>;
  /** Stops receiving and confirms what was kept, so that it does not come again. Never rejects; needs no `run` before. */
  stop(): Promise<void>;
  /** The number of the next update that Telegram has to bring. Everything below it is kept. */
  readonly offset: number;
  /** When the batch that is being handled came, in the clock's milliseconds. */
  readonly arrivedAt: number;
  /**
   * Whether the batch that is being handled waited at Telegram before the run, or while no poll was answered for a long
   * time. What comes over polls that follow each other is none of that, whatever its date says.
   */
  readonly isBacklog: boolean;
  /** When Telegram last answered a poll, in milliseconds since 1970; undefined before the first answer. */
  readonly lastGoodPoll: number | undefined;
}

/**
 * Long polling on grammY runner's source, sink and runner, with a fetcher of its own: the runner's waits double
 * without a cap and cannot be ended, and it gives up at the first conflict.
 */
export function createPoller(options: PollerOptions): Poller {
  const { api, keep, handle, clock, log, backoff, conflictBackoff } = options;
  /** Everything below it is kept: Telegram may forget it. */
  let offset = 0;
  let lastGoodPoll: number | undefined;
  let arrivedAt = 0;
  let isBacklog = false;
  /** Not all is here yet that waited. */
  let isBehind = false;
  let conflictSince: number | undefined;
  let started = false;

  async function supply(batchSize: number, stopped: GrammySignal): Promise<Update[]> {
    const signal = toNative(stopped);
    for (;;) {
      try {
        // Looked at before the poll: a clock that is set while one waits says nothing of evie.
        isBehind ||= isAway(lastGoodPoll, clock.date());
        // What waits comes by itself then, and is told from what is written from now on.
        const timeout = isBehind ? 0 : POLL_TIMEOUT;
        const updates = await poll(Math.max(1, Math.min(100, batchSize)), timeout, signal);
        backoff.reset();
        conflictBackoff.reset();
        lastGoodPoll = clock.date();
        conflictSince = undefined;
        const polledAt = clock.now();
        const fresh = await keep(updates, signal);
        if (fresh === undefined) return [];
        const keptAt = clock.now();
        isBacklog = isBehind;
        isBehind &&= updates.length > 0;
        arrivedAt = keptAt - polledAt > KEPT_WITHIN ? keptAt : polledAt;
        const last = updates.at(-1);
        if (last !== undefined) offset = last.update_id + 1;
        return [...fresh];
      } catch (error) {
        if (signal.aborted) throw error;
        await clock.sleep(await waitAfter(error, signal), signal);
        if (signal.aborted) throw error;
      }
    }
  }

  async function poll(limit: number, timeout: number, signal: AbortSignal): Promise<Update[]> {
    const deadline = startDeadline(clock, POLL_TIMEOUT * 1_000 + POLL_MARGIN);
    try {
      return await api.getUpdates(
        { offset, limit, timeout, allowed_updates: [...ALLOWED_UPDATES] },
        toGrammy(AbortSignal.any([signal, deadline.signal])),
      );
    } finally {
      deadline.cancel();
    }
  }

  /** Milliseconds to wait after a failed poll; throws what no waiting cures. */
  async function waitAfter(error: unknown, stopped: AbortSignal): Promise<number> {
    const code = error instanceof GrammyError ? error.error_code : undefined;
    if (code === 401 || code === 404) throw new UnauthorizedError({ cause: error });
    if (code !== 409) {
      conflictSince = undefined;
    } else {
      conflictSince ??= clock.now();
      if (clock.now() - conflictSince >= CONFLICT_LIMIT) throw new ConflictError({ cause: error });
      // Somebody may have set a webhook, which is a conflict as well, and one that evie can end.
      const deadline = startDeadline(clock, WEBHOOK_DEADLINE);
      await removeWebhook(api, AbortSignal.any([stopped, deadline.signal]))
        .catch((failure: unknown) => log.warn({ err: failure }, "a webhook may be set"))
        .finally(deadline.cancel);
    }
    const asked = error instanceof GrammyError ? (error.parameters.retry_after ?? 0) * 1_000 : 0;
    const wait = Math.max(asked, (code === 409 ? conflictBackoff : backoff).next());
    const what = code === 409 ? new ConflictError().message : "Telegram could not be asked for messages.";
    log.warn({ err: error, seconds: Math.round(wait / 1_000) }, `${what} Trying again`);
    return wait;
  }

  const sink = createConcurrentSink<Update>({ consume: handle }, async (error) =>
    log.error({ err: error }, "an update could not be handled"),
  );
  const runner = createRunner(createSource({ supply }), sink);

  return {
    get offset() {
      return offset;
    },
    get arrivedAt() {
      return arrivedAt;
    },
    get isBacklog() {
      return isBacklog;
    },
    get lastGoodPoll() {
      return lastGoodPoll;
    },
    async run() {
      started = true;
      runner.start();
      await runner.task();
    },
    async stop() {
      // The runner's own stop fails when nothing was started.
      if (started) await runner.stop()?.catch(() => undefined);
      if (offset === 0) return;
      const deadline = startDeadline(clock, CONFIRM_DEADLINE);
      await api
        .getUpdates({ offset, limit: 1, timeout: 0 }, toGrammy(deadline.signal))
        .catch((error: unknown) => {
          // Telegram takes the offset at once, and keeps its answer back for 3 s where the last poll had the same one.
          if (deadline.signal.aborted) log.debug({}, "the last confirmation was not answered in time");
          else log.warn({ err: error }, "the last messages could not be confirmed");
        })
        .finally(deadline.cancel);
    },
  };
}

/** A webhook and polling exclude each other. What waits at Telegram is kept. */
export async function removeWebhook(api: Api, signal: AbortSignal): Promise<void> {
  await api.deleteWebhook({ drop_pending_updates: false }, toGrammy(signal));
}
