import { join } from "node:path";
import { endLeftBehind } from "./agent/left-behind.ts";
import { tookPrompt } from "./agent/pi/took-prompt.ts";
import type { Clock } from "./domain/clock.ts";
import type { Log } from "./domain/log.ts";
import type { MakeDraft } from "./http/drafts.ts";
import { judge, type Verdict } from "./session/recovery.ts";
import type { SessionRegistry } from "./session/sessions.ts";
import type { Store } from "./store/store.ts";
import type { Leftover } from "./telegram/recovery.ts";
import { createResumption, type Resumption } from "./resumption.ts";

export interface LeftoversOptions {
  readonly store: Pick<Store, "turns">;
  /** Where the sessions' files are. */
  readonly folder: string;
  readonly sessions: Pick<SessionRegistry, "resume">;
  /** Makes the draft of a prompt that was kept whole. */
  readonly makeDraft: MakeDraft;
  readonly clock: Clock;
  readonly log: Log;
}

/** The turns that had no end when evie was last ended. */
export interface Leftovers {
  /**
   * For the chats, whose turn it is to take them up: those that are still there. One that is not made of updates alone
   * runs under its own name; what is without a chat may run already. Rejects when nobody can tell what was left.
   */
  forChats(): Promise<readonly Leftover[]>;
  /**
   * Has those run that are not made of updates alone: at once where no chat shows them, the others once the chats have
   * taken them up, or CHATS_FIRST has passed. Resolves then: who comes now meets none of them, and overtakes none.
   * Rejects as `forChats` does.
   */
  goOn(stopped: AbortSignal): Promise<void>;
}

/** Milliseconds in which chats may take up what they are to show. While Telegram does not answer, nobody waits for longer. */
export const CHATS_FIRST = 3_000;

type OpenTurn = ReturnType<Store["turns"]["open"]>[number];

interface Judged {
  readonly leftover: Leftover;
  readonly resumption?: Resumption;
}

/** Looks for them at once, when no agent of that time lives any more. To be called before anything new is let in. */
export function findLeftovers(options: LeftoversOptions): Leftovers {
  const { store, folder, sessions, makeDraft, clock, log } = options;
  const found = find();
  // Whoever asks is told; nobody needs to.
  found.catch(() => undefined);

  async function find(): Promise<readonly Judged[]> {
    const { found: agents, remain } = await endLeftBehind(folder, clock);
    if (agents > 0) log.warn({ agents }, "agents were left behind when evie was last ended");
    if (remain > 0)
      log.error(
        { agents: remain },
        "agents of an earlier evie could not be ended, and still write into their sessions: end them by hand",
      );
    const verdicts = await Promise.all(
      store.turns.open().map(async (turn) => ({ turn, verdict: await judge(turn, () => took(turn)) })),
    );
    return verdicts
      .filter(({ turn, verdict }) => !isClosed(turn, verdict))
      .map(({ turn, verdict }) => judged(turn, verdict));
  }

  /**
   * One that was being ended when evie was has its last words written down. With them it has ended, and its chat is shown
   * that as it would be for any other: not at all where it shows it already.
   */
  function isClosed({ id, said }: OpenTurn, verdict: Verdict): boolean {
    if (verdict.type !== "close" || said === undefined) return false;
    store.turns.ended(id, verdict.outcome, said);
    return true;
  }

  async function took({ id, sessionId, fileSize }: OpenTurn): Promise<boolean> {
    try {
      return await tookPrompt(join(folder, `${sessionId}.jsonl`), fileSize);
    } catch (error) {
      // To ask a person once too often is better than to do something twice.
      log.error({ err: error, turn: id }, "a session file could not be read");
      return true;
    }
  }

  function judged({ prompt, ...turn }: OpenTurn, verdict: Verdict): Judged {
    const leftover: Leftover = { ...turn, verdict };
    if (prompt === undefined || verdict.type !== "run") return { leftover };
    const resumption = createResumption(prompt, {
      makeDraft,
      resume(drafts) {
        // Its session is gone.
        if (!sessions.resume(turn, drafts)) store.turns.ended(turn.id, { type: "stopped" }, []);
      },
    });
    return { leftover: { ...leftover, resume: resumption.resume }, resumption };
  }

  return {
    forChats: async () =>
      (await found)
        .map(({ leftover }) => leftover)
        // Another bot's are gone since.
        .filter(({ id }) => store.turns.get(id) !== undefined),

    async goOn(stopped) {
      for (const { leftover } of await found) {
        // Nobody is to be shown it, and whoever sends its request again must not wait for Telegram to hear how it ended.
        if (leftover.chat === undefined && leftover.verdict.type === "close")
          store.turns.ended(leftover.id, leftover.verdict.outcome, []);
      }
      const waiting = (await found).flatMap(({ leftover: { id, chat }, resumption }) =>
        resumption === undefined ? [] : { id, chat, resumption },
      );
      const begin = (turns: typeof waiting): void => {
        for (const { id, resumption } of turns) {
          try {
            resumption.begin();
          } catch (error) {
            log.error({ err: error, turn: id }, "a turn that was left could not be taken up");
          }
        }
      };
      begin(waiting.filter(({ chat }) => chat === undefined));
      const enough = new AbortController();
      await Promise.race([
        Promise.all(waiting.map(({ resumption }) => resumption.begun)),
        clock.sleep(CHATS_FIRST, AbortSignal.any([stopped, enough.signal])),
      ]);
      enough.abort();
      if (!stopped.aborted) begin(waiting);
    },
  };
}
