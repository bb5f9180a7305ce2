import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../domain/clock.ts";
import type { Face } from "../domain/events.ts";
import { failureSentence } from "../domain/failure.ts";
import { makeTurnId, type SessionId, type TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import { joinTexts, type PromptDraft } from "../domain/prompt.ts";
import {
  type PromptOptions,
  RequestIdError,
  SessionRemovedError,
  type TakenPrompt,
  type Turn,
  type TurnEnding,
} from "../domain/sessions.ts";
import { clip } from "../domain/text.ts";
import type { QueuedPrompt } from "../domain/wire.ts";
import type { RequestLedger } from "./ledger.ts";
import type { TurnRunner } from "./turn-runner.ts";
import { firstWithin, LIST_BYTES } from "./bounds.ts";
import { release } from "./waiting-turn.ts";

/** Milliseconds for which a request is remembered. */
export const REQUEST_KEPT = 24 * 60 * 60_000;

export interface PromptsOptions {
  readonly id: SessionId;
  readonly runner: TurnRunner;
  readonly ledger: RequestLedger;
  /** Throws a SessionRemovedError when the session takes nothing new any more. */
  readonly checkOpen: () => void;
  /** Throws a TooManyPromptsError when no more may wait. */
  readonly checkRoom: (draft: PromptDraft) => void;
  /** Called when `queue` is another one. */
  readonly queueChanged: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The prompts of one session that came under names of their senders'. */
export interface Prompts {
  /**
   * Takes a prompt once: the same request again gives the same turn. Throws a RequestIdError when it says something else
   * than the first time, a TooManyPromptsError when there is no room, and when the store throws; then nothing runs.
   */
  take(draft: PromptDraft, options: PromptOptions): TakenPrompt;
  /** Has a turn that no agent had when evie was last ended run under its own name, behind all others. Throws when the store does. */
  resume(turnId: TurnId, face: Face, drafts: readonly PromptDraft[]): void;
  /** Evie ends: what no agent has yet runs after the next start, and so it has no end now. */
  leave(): void;
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
  /** A digest of what it said; absent where an earlier evie took it. */
  readonly body?: string | undefined;
  readonly ending: Promise<TurnEnding>;
}

/** What somebody is told whose prompt was under way when evie ended. */
const LOST =
  "evie was stopped while the agent worked on this prompt, and the agent may have acted on it. Send it again under another id to run it anew.";

/** What somebody is told whose prompt no agent had when evie ended. */
const KEPT: TurnEnding = {
  outcome: {
    type: "failed",
    message:
      "evie was stopped before the agent had this prompt. It runs after evie's next start; sent again under the same id, it is answered with how it ended.",
  },
  text: "",
};

export function createPrompts(options: PromptsOptions): Prompts {
  const { id, runner, ledger, clock, log, checkOpen, checkRoom, queueChanged } = options;
  /** Requests that have not ended yet, and of which turn each is. */
  const underWay = new Map<string, Known>();
  const requestOf = new Map<TurnId, QueuedPrompt>();
  const endings = new Map<TurnId, PromiseWithResolvers<TurnEnding>>();
  /** Turns whose prompt an agent has in its history, until they end. */
  const accepted = new Set<TurnId>();
  /** What the drafts say that came without a request. */
  const texts = new WeakMap<PromptDraft, string>();
  let queue: readonly QueuedPrompt[] = [];
  let leaving = false;

  function endingOf(turnId: TurnId): Promise<TurnEnding> {
    const known = endings.get(turnId) ?? Promise.withResolvers<TurnEnding>();
    endings.set(turnId, known);
    return known.promise;
  }

  function settle(turnId: TurnId, ending: TurnEnding): void {
    const isKept = leaving && ending.outcome.type === "stopped" && !accepted.has(turnId);
    endings.get(turnId)?.resolve(isKept ? KEPT : ending);
    accepted.delete(turnId);
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

  /**
   * Returns the request as it was taken before; undefined when it is new, or evie died before there was a turn of it.
   * Throws a RequestIdError when it said something else then: the old answer would pass for one to the new words.
   */
  function recall(requestId: string, body: string): Known | undefined {
    const known = underWay.get(requestId);
    const stored = known === undefined ? ledger.get(id, requestId) : undefined;
    const isOld = stored !== undefined && stored.at < clock.date() - REQUEST_KEPT;
    const first = known ?? (isOld ? undefined : stored);
    if (first === undefined) return undefined;
    if (first.body !== undefined && first.body !== body) throw new RequestIdError(requestId);
    if (stored === undefined) return known;
    const { turnId, begun, ending } = stored;
    if (ending !== undefined) return { turnId, ending: Promise.resolve(ending) };
    const lost: TurnEnding = { outcome: { type: "failed", message: LOST }, text: "" };
    return begun ? { turnId, ending: Promise.resolve(lost) } : undefined;
  }

  function note(requestId: string, turnId: TurnId, body: string): void {
    const at = clock.date();
    ledger.add(id, requestId, { turnId, body, at, oldest: at - REQUEST_KEPT });
  }

  /** A turn of its own. Written down first: a request that is not known afterwards could run twice. */
  function begin(draft: PromptDraft, { mode, face, requestId, text }: PromptOptions, body: string): Known {
    checkOpen();
    const turnId = makeTurnId();
    note(requestId, turnId, body);
    requestOf.set(turnId, { requestId, text });
    const ending = endingOf(turnId);
    const own = { id: turnId, alone: true };
    follow(mode === "replace" ? runner.run(draft, face, own) : runner.enqueue([draft], face, own));
    return { turnId, ending };
  }

  function follow(turn: Turn): void {
    void turn.accepted.then((taken) => {
      if (taken && endings.has(turn.id)) accepted.add(turn.id);
    });
    // A turn that never begins has no events to end it.
    void turn.ended.then((outcome) => settle(turn.id, { outcome, text: "" }));
  }

  /** Said into the running turn. Where the agent does not take it, it waits for a turn of its own. */
  function steer(draft: PromptDraft, options: PromptOptions, turnId: TurnId, body: string): Known {
    checkOpen();
    const { requestId } = options;
    note(requestId, turnId, body);
    store(() => ledger.begin(id, requestId));
    const ending = endingOf(turnId);
    const say = async (): Promise<TurnEnding> => {
      const prompt = await draft.ready;
      const { running } = runner;
      const taken = running?.id === turnId && (await running.run?.steer?.(prompt)) === true;
      if (!taken) return await beginInstead(draft, options, body);
      draft.release();
      return await ending;
    };
    return { turnId, ending: say() };
  }

  /** A turn of its own for what could not be said into another. It waits under its request's id, and can be withdrawn. */
  async function beginInstead(draft: PromptDraft, options: PromptOptions, body: string): Promise<TurnEnding> {
    try {
      const { turnId, ending } = begin(draft, options, body);
      const known = underWay.get(options.requestId);
      if (known !== undefined) underWay.set(options.requestId, { ...known, turnId });
      return await ending;
    } catch (error) {
      draft.release();
      // It was taken when the session still was there, and ends as all that waited in it.
      if (error instanceof SessionRemovedError) return { outcome: { type: "stopped" }, text: "" };
      throw error;
    }
  }

  /** The turn of a request, or the one of that id. */
  function turnOf(waiting: string): TurnId {
    return underWay.get(waiting)?.turnId ?? (waiting as TurnId);
  }

  function refresh(): void {
    const waiting = runner.queue.map(
      ({ id: turnId, drafts }) => requestOf.get(turnId) ?? { requestId: turnId, text: textOf(drafts) },
    );
    const next = firstWithin(waiting.map(shortened), LIST_BYTES);
    if (isDeepStrictEqual(next, queue)) return;
    queue = next;
    queueChanged();
  }

  /** Returns what a turn without a request says, as far as that is known by now. */
  function textOf(drafts: readonly PromptDraft[]): string {
    return joinTexts(drafts.map((draft) => draft.whole?.text ?? texts.get(draft) ?? listen(draft)));
  }

  /** Shows what a draft says once that is known. Until then it says nothing. */
  function listen(draft: PromptDraft): string {
    texts.set(draft, "");
    void draft.ready.then(({ text }) => {
      texts.set(draft, text);
      refresh();
    });
    return "";
  }

  function take(draft: PromptDraft, options: PromptOptions): TakenPrompt {
    const body = digestOf(draft, options);
    const known = recall(options.requestId, body);
    if (known !== undefined) {
      draft.release();
      return { turnId: known.turnId, ending: known.ending, known: true };
    }
    checkRoom(draft);
    const { running } = runner;
    const canSteer = options.mode === "steer" && running?.run?.steer !== undefined;
    const { turnId, ending } = canSteer
      ? steer(draft, options, running.id, body)
      : begin(draft, options, body);
    return { turnId, ending: know(options.requestId, { turnId, body, ending }), known: false };
  }

  /** Holds a request until its end is known, and stored; gives that. */
  function know(requestId: string, known: Known): Promise<TurnEnding> {
    const noted = known.ending
      .catch((error: unknown): TurnEnding => {
        log.error({ err: error, session: id }, "a prompt failed by a fault of evie's own");
        return {
          outcome: { type: "failed", message: failureSentence({ type: "internal", reason: String(error) }) },
          text: "",
        };
      })
      .then((end) => {
        // Sent again while evie ends, it must not run as well.
        if (end === KEPT) return end;
        underWay.delete(requestId);
        store(() => ledger.end(id, requestId, end));
        return end;
      });
    underWay.set(requestId, { ...known, ending: noted });
    return noted;
  }

  function resume(turnId: TurnId, face: Face, drafts: readonly PromptDraft[]): void {
    const requests = ledger.of(id, turnId);
    const bodies = requests.map((requestId) => [requestId, ledger.get(id, requestId)?.body] as const);
    const text = joinTexts(drafts.map(({ whole }) => whole?.text ?? ""));
    requestOf.set(turnId, { requestId: requests[0] ?? turnId, text });
    const ending = endingOf(turnId);
    try {
      // One that an earlier evie joined with a chat's words still joins them.
      const alone = requests.length > 0 || drafts.every(({ whole }) => whole !== undefined);
      follow(runner.enqueue(drafts, face, { id: turnId, alone }));
    } catch (error) {
      release(drafts);
      settle(turnId, KEPT);
      // It is left to the next start: sent again before that it must not run as well.
      for (const [requestId, body] of bodies) underWay.set(requestId, { turnId, body, ending });
      throw error;
    }
    for (const [requestId, body] of bodies) void know(requestId, { turnId, body, ending });
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
    resume,
    leave() {
      leaving = true;
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

/** Returns what tells two prompts of one request id apart: their words, their pictures and their mode, as a digest. */
function digestOf({ whole }: PromptDraft, { mode, text }: PromptOptions): string {
  const images = (whole?.images ?? []).map(({ mimeType, data }) => [mimeType, data]);
  return createHash("sha256")
    .update(JSON.stringify([mode, whole?.text ?? text, images]))
    .digest("base64url");
}

/** Characters of a prompt that waits, as it is shown: everybody who watches is told of it whenever the queue changes. */
const LONGEST_SHOWN = 1_000;

function shortened({ requestId, text }: QueuedPrompt): QueuedPrompt {
  return { requestId, text: text.length <= LONGEST_SHOWN ? text : `${clip(text, LONGEST_SHOWN - 1)}…` };
}
