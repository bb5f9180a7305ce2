import type { ChatKey, TurnId } from "../../src/domain/ids.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import type { TurnStore } from "../../src/telegram/bookkeeping.ts";
import type { PolledTime, UpdateStore } from "../../src/telegram/inbox.ts";

interface KnownTurn {
  chat?: ChatKey;
  sources: readonly number[];
  bubbles: readonly { readonly messageId: number; readonly content: string }[];
  outcome?: TurnOutcome;
  said: readonly string[];
  delivered: boolean;
  repeated: boolean;
}

/** What a chat shows of turns, in memory. */
export function createMemoryTurns() {
  const known = new Map<TurnId, KnownTurn>();
  /** The messages that were changed, each with the number of the update. */
  const edits: [messageId: number, update: number][] = [];
  const state = { full: false };

  function change(id: TurnId, fields: Partial<KnownTurn>): void {
    if (state.full) throw new Error("the disk is full");
    const before = known.get(id) ?? { sources: [], bubbles: [], said: [], delivered: false, repeated: false };
    known.set(id, { ...before, ...fields });
  }

  const turns: TurnStore = {
    keep: (id, chat, bubbles) => change(id, { chat, bubbles }),
    of: (id) => known.get(id)?.bubbles ?? [],
    delivered: (id) => change(id, { delivered: true }),
    undelivered: () =>
      [...known].flatMap(([id, { chat, outcome, said, delivered }]) =>
        chat === undefined || outcome === undefined || delivered ? [] : [{ id, chat, outcome, said }],
      ),
    ended: (id, outcome, said) => change(id, { outcome, said }),
    giveUp: (id) => change(id, { sources: [], outcome: { type: "replaced" } }),
    shelved: (id, sources) => change(id, { sources, outcome: { type: "stopped" }, delivered: true }),
    edited: (_chat, messageId, update) => void edits.push([messageId, update]),
    get: (id) => known.get(id),
    repeat(id) {
      if (known.get(id)?.repeated !== false) return false;
      change(id, { repeated: true });
      return true;
    },
  };
  return { turns, known, state, edits, add: change };
}

/** What Telegram sent, in memory. */
export function createMemoryUpdates() {
  const bodies = new Map<number, string>();
  const spent = new Set<number>();
  /** `commit` is called at the end of a transaction, and may throw. */
  const state: { full: boolean; polled?: PolledTime; commit: () => void } = {
    full: false,
    commit: () => undefined,
  };
  const write = (): void => {
    if (state.full) throw new Error("the disk is full");
  };
  const updates: UpdateStore = {
    adopt: () => undefined,
    add(all) {
      write();
      const fresh = all.filter(({ id }) => !bodies.has(id));
      for (const { id, body } of fresh) bodies.set(id, body);
      return new Set(fresh.map(({ id }) => id));
    },
    heard: (polled) => void (state.polled = polled),
    polled: () => state.polled,
    replace(id, body) {
      write();
      bodies.set(id, body);
    },
    spend(ids) {
      write();
      for (const id of ids) spent.add(id);
    },
    unspent: () => [...bodies].filter(([id]) => !spent.has(id)).map(([, body]) => body),
    bodies: (ids) => ids.flatMap((id) => bodies.get(id) ?? []),
    together(work) {
      const value = work();
      state.commit();
      return value;
    },
  };
  return { updates, bodies, spent, state };
}
