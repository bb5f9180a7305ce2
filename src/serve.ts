import process from "node:process";
import { EXIT_CONFIG } from "./cli.ts";
import type { Clock } from "./domain/clock.ts";
import type { Log } from "./domain/log.ts";
import type { SessionRegistry } from "./session/sessions.ts";
import type { Telegram } from "./telegram/bot.ts";
import { ConflictError, UnauthorizedError } from "./telegram/poller.ts";

/** Milliseconds that a stop may take: five seconds in all, less what a process needs to end. */
const STOP_DEADLINE = 4_500;
/** Milliseconds of it in which turns that are nearly done may end by themselves. */
const LAST_WORDS = 2_500;

const EXIT_FAILURE = 1;
/** What a shell makes of a program that Ctrl-C ended. */
const EXIT_INTERRUPTED = 130;

/** The last one comes when the terminal is closed that evie was started in. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export interface ServeOptions {
  readonly bot: Telegram;
  readonly sessions: Pick<SessionRegistry, "idle" | "leaveAll">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs until a signal or a fault that no waiting cures, then stops within STOP_DEADLINE. Gives the exit code. */
export async function serve({ bot, sessions, clock, log }: ServeOptions): Promise<number> {
  const stopping = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) {
      // A terminal that is closed says so more than once: through the kernel, the shell, and npm.
      if (signal === "SIGHUP") return;
      process.exit(EXIT_INTERRUPTED);
    }
    log.info({ signal }, "stopping; a second signal ends evie at once");
    stopping.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);

  async function receive(): Promise<number> {
    try {
      const me = await bot.connect(stopping.signal);
      if (me === undefined) return 0;
      log.info({ bot: `@${me.username}`, id: me.id }, "ready");
      await Promise.race([bot.run(), aborted(stopping.signal)]);
      return 0;
    } catch (error) {
      const known = error instanceof UnauthorizedError || error instanceof ConflictError;
      log.error({ err: error }, known ? error.message : "evie stopped by a fault of its own");
      return error instanceof UnauthorizedError ? EXIT_CONFIG : EXIT_FAILURE;
    }
  }

  try {
    const code = await receive();
    stopping.abort();
    await withinDeadline(clock, stop({ bot, sessions, clock, log }), log);
    return code;
  } finally {
    bot.close();
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

/**
 * Receives no more, lets turns end that are about to, ends the others, and says what is left to say. Never rejects:
 * where one of these fails, the others are done all the same.
 */
async function stop({ bot, sessions, clock, log }: ServeOptions): Promise<void> {
  const disturbed = (error: unknown): void =>
    log.error({ err: error }, "the stop was disturbed by a fault of evie's own");
  await Promise.all([bot.stop().catch(disturbed), endTurns(sessions, clock).catch(disturbed)]);
  await bot.idle().catch(disturbed);
}

async function endTurns(sessions: ServeOptions["sessions"], clock: Clock): Promise<void> {
  const enough = new AbortController();
  await Promise.race([sessions.idle(), clock.sleep(LAST_WORDS, enough.signal)]);
  enough.abort();
  await sessions.leaveAll();
}

async function withinDeadline(clock: Clock, work: Promise<void>, log: Log): Promise<void> {
  const enough = new AbortController();
  const late = clock.sleep(STOP_DEADLINE, enough.signal).then(() => {
    if (!enough.signal.aborted) log.warn({}, "not everything could be finished in time");
  });
  await Promise.race([work, late]);
  enough.abort();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
