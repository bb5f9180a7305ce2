import type { Clock } from "../domain/clock.ts";
import type { Face } from "../domain/events.ts";
import { failureSentence } from "../domain/failure.ts";
import { makeTurnId, type SessionId, type TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { PromptDraft } from "../domain/prompt.ts";
import type { PromptOptions, TakenPrompt, Turn, TurnEnding } from "../domain/sessions.ts";
import type { QueuedPrompt } from "../domain/wire.ts";
import type { RequestLedger } from "./ledger.ts";
import type { TurnRunner } from "./turn-runner.ts";

/** Milliseconds for which a request is remembered. */
export const REQUEST_KEPT = 24 * 60 * 60_000;

export interface PromptsOptions {
  readonly id: SessionId;
  readonly runner: TurnRunner;
  readonly ledger: RequestLedger;
  /** Called when `queue` is another one. */
  readonly queueChanged: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The prompts of one session that came under names of their senders'. */
export interface Prompts {
  /** Takes a prompt once: the same request again gives the same turn. Throws when the store does; then nothing runs. */
  take(draft: PromptDraft, options: PromptOptions): TakenPrompt;
  /** A turn without a request; what it says is shown once it is known. */
  enqueue(draft: PromptDraft, face: Face): Turn;
  withdraw(waiting: string): boolean;
  /** What waits, the next one first. A new list only when it is another one. */
  readonly queue: readonly QueuedPrompt[];
  /** Lets one that waits take the running turn's place. */
  hurry(waiting: string): boolean;
  /** To be called when the runner's queue is another one. */
  refresh(): void;
  began(turnId: TurnId): void;
  /** To be called when the turn's end was told, before it settles. */
  ended(turnId: TurnId, ending: TurnEnding): void;
}

interface Known {
  readonly turnId: TurnId;
  readonly ending: Promise<TurnEnding>;
}

/** What somebody is told whose prompt was under way when evie ended. */
const LOST =
  "evie was stopped while the agent worked on this prompt, and the agent may have acted on it. Send it again under another id to run it anew.";

export function createPrompts(options: PromptsOptions): Prompts {
  const { id, runner, ledger, clock, log, queueChanged } = options;
  /** Requests that have not ended yet, and of which turn each is. */
  const underWay = new Map<string, Known>();
  const requestOf = new Map<TurnId, QueuedPrompt>();
  const endings = new Map<TurnId, PromiseWithResolvers<TurnEnding>>();
  let queue: readonly QueuedPrompt[] = [];

  function endingOf(turnId: TurnId): Promise<TurnEnding> {
    const known = endings.get(turnId) ?? Promise.withResolvers<TurnEnding>();
    endings.set(turnId, known);
    return known.promise;
  }

  function settle(turnId: TurnId, ending: TurnEnding): void {
    endings.get(turnId)?.resolve(ending);
    endings.delete(turnId);
    requestOf.delete(turnId);
  }

  /** What was taken is worked on, whether or not it can be written down how far it came. */
  function store(write: () => void): void {
    try {
      write();
    } catch (error) {
      log.error({ err: error, session: id }, "what became of a prompt could not be stored");
    }
  }

  /** The request as it was taken before; undefined when it is new, or never began before evie was restarted. */
  function recall(requestId: string): Known | undefined {
    const known = underWay.get(requestId);
    if (known !== undefined) return known;
    const stored = ledger.get(id, requestId);
    if (stored === undefined || stored.at < clock.date() - REQUEST_KEPT) return undefined;
    const { turnId, begun, ending } = stored;
    if (ending !== undefined) return { turnId, ending: Promise.resolve(ending) };
    const lost: TurnEnding = { outcome: { type: "failed", message: LOST }, text: "" };
    return begun ? { turnId, ending: Promise.resolve(lost) } : undefined;
  }

  function note(requestId: string, turnId: TurnId): void {
    const at = clock.date();
    ledger.add(id, requestId, turnId, { at, oldest: at - REQUEST_KEPT });
  }

  /** A turn of its own. Written down first: a request that is not known afterwards could run twice. */
  function begin(draft: PromptDraft, { mode, face, requestId, text }: PromptOptions): Known {
    const turnId = makeTurnId();
    note(requestId, turnId);
    requestOf.set(turnId, { requestId, text });
    const ending = endingOf(turnId);
    const turn = mode === "replace" ? runner.run(draft, face, turnId) : runner.enqueue(draft, face, turnId);
    // A turn that never begins has no events to end it.
    void turn.ended.then((outcome) => settle(turnId, { outcome, text: "" }));
    return { turnId, ending };
  }

  /** Said into the running turn. Where the agent does not take it, it waits for a turn of its own. */
  function steer(draft: PromptDraft, options: PromptOptions, turnId: TurnId): Known {
    note(options.requestId, turnId);
    store(() => ledger.begin(id, options.requestId));
    const ending = endingOf(turnId);
    const say = async (): Promise<TurnEnding> => {
      const prompt = await draft.ready;
      const { running } = runner;
      const taken = running?.id === turnId && (await running.run?.steer?.(prompt)) === true;
      if (!taken) return await begin(draft, options).ending;
      draft.release();
      return await ending;
    };
    return { turnId, ending: say() };
  }

  /** The turn of a request, or the one of that id. */
  function turnOf(waiting: string): TurnId {
    return underWay.get(waiting)?.turnId ?? (waiting as TurnId);
  }

  function refresh(): void {
    queue = runner.queue.map((turn) => requestOf.get(turn.id) ?? { requestId: turn.id, text: "" });
    queueChanged();
  }

  function take(draft: PromptDraft, options: PromptOptions): TakenPrompt {
    const known = recall(options.requestId);
    if (known !== undefined) {
      draft.release();
      return { ...known, known: true };
    }
    const { running } = runner;
    const canSteer = options.mode === "steer" && running?.run?.steer !== undefined;
    const { turnId, ending } = canSteer ? steer(draft, options, running.id) : begin(draft, options);
    const { requestId } = options;
    const noted = ending
      .catch((error: unknown): TurnEnding => {
        log.error({ err: error, session: id }, "a prompt failed by a fault of evie's own");
        return {
          outcome: { type: "failed", message: failureSentence({ type: "internal", reason: String(error) }) },
          text: "",
        };
      })
      .then((end) => {
        underWay.delete(requestId);
        store(() => ledger.end(id, requestId, end));
        return end;
      });
    underWay.set(requestId, { turnId, ending: noted });
    return { turnId, ending: noted, known: false };
  }

  return {
    take(draft, options) {
      try {
        return take(draft, options);
      } catch (error) {
        draft.release();
        throw error;
      }
    },
    enqueue(draft, face) {
      const id = makeTurnId();
      const turn = runner.enqueue(draft, face, id);
      void draft.ready.then(({ text }) => {
        if (!runner.queue.some((waiting) => waiting.id === id)) return;
        requestOf.set(id, { requestId: id, text });
        refresh();
      });
      void turn.ended.then(() => requestOf.delete(id));
      return turn;
    },
    withdraw: (waiting) => runner.withdraw(turnOf(waiting)),
    hurry: (waiting) => runner.promote(turnOf(waiting)),
    get queue() {
      return queue;
    },
    refresh,
    began(turnId) {
      const request = requestOf.get(turnId);
      if (request !== undefined) store(() => ledger.begin(id, request.requestId));
    },
    ended: settle,
  };
}
