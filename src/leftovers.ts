import { join } from "node:path";
import { endLeftBehind } from "./agent/left-behind.ts";
import { tookPrompt } from "./agent/pi/took-prompt.ts";
import type { Clock } from "./domain/clock.ts";
import type { Log } from "./domain/log.ts";
import { judge } from "./session/recovery.ts";
import type { Store } from "./store/store.ts";
import type { Leftover } from "./telegram/recovery.ts";

export interface LeftoversOptions {
  readonly store: Pick<Store, "turns">;
  /** Where the sessions' files are. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The turns that had no end when evie was last ended, judged, once no agent of that time lives any more. */
export async function findLeftovers({
  store,
  folder,
  clock,
  log,
}: LeftoversOptions): Promise<readonly Leftover[]> {
  const agents = await endLeftBehind(folder, clock);
  if (agents > 0) log.warn({ agents }, "agents were left behind when evie was last ended");
  return await Promise.all(
    store.turns.open().map(async (turn) => {
      const file = join(folder, `${turn.sessionId}.jsonl`);
      const verdict = await judge(turn, async () => {
        try {
          return await tookPrompt(file, turn.fileSize);
        } catch (error) {
          // To ask a person once too often is better than to do something twice.
          log.error({ err: error, turn: turn.id }, "a session file could not be read");
          return true;
        }
      });
      return { ...turn, verdict };
    }),
  );
}
