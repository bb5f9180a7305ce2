import type { Message, SessionEvent } from "../domain/events.ts";
import type { SessionId } from "../domain/ids.ts";
import { addUsage, nameOf } from "./facts.ts";
import type { MessageLedger, SessionFacts } from "./ledger.ts";

export interface BookkeeperOptions {
  readonly id: SessionId;
  /** What is known of the session from before. */
  readonly facts: SessionFacts;
  readonly messages: MessageLedger;
  /** Called with what has become known of the session, to be kept. */
  readonly note: (facts: SessionFacts) => void;
}

/** Writes down what a session says, and what becomes known of it meanwhile. */
export interface Bookkeeper {
  /** To be called with each event; `messages` are all of the session that are held. Throws when the store does. */
  keep(event: SessionEvent, messages: readonly Message[]): void;
  /** Keeps a message that came after the interruption of its turn: it is not of what was said in it. Throws likewise. */
  keepAfterStop(message: Message): void;
  rename(name: string): void;
  /** The keys of the last turn's messages. */
  readonly ofTurn: ReadonlySet<string>;
  readonly facts: SessionFacts & { readonly name: string; readonly failed: boolean };
}

export function createBookkeeper({ id, messages: ledger, note, ...options }: BookkeeperOptions): Bookkeeper {
  let facts: Bookkeeper["facts"] = { name: "", failed: false, ...options.facts };
  /** The messages of the last turn, and those of them that are not in the ledger yet. */
  const ofTurn = new Set<string>();
  const unsaved = new Set<string>();

  function learn(more: SessionFacts): void {
    facts = { ...facts, ...more };
    note(more);
  }

  function learnFailed(failed: boolean): void {
    if (failed !== facts.failed) learn({ failed });
  }

  function commit(message: Message): void {
    const { key, role } = message;
    const isNew = unsaved.delete(key) || !ofTurn.has(key);
    ofTurn.add(key);
    ledger.save(id, message);
    if (role === "user" && facts.name === "") learn({ name: nameOf(message) });
    if (isNew) learnFrom(message);
  }

  /** What an agent said before it was stopped, or died, stays. */
  function commitUnsaved(messages: readonly Message[]): void {
    for (const message of messages) if (unsaved.has(message.key)) commit(message);
  }

  function learnFrom({ role, model, usage }: Message): void {
    if (role !== "assistant" || (model === undefined && usage === undefined)) return;
    learn({
      ...(model === undefined ? {} : { model }),
      ...(usage === undefined ? {} : { usage: addUsage(facts.usage, usage) }),
    });
  }

  return {
    keep(event, messages) {
      switch (event.type) {
        case "agent_start":
          ofTurn.clear();
          unsaved.clear();
          return learnFailed(false);
        case "message_start":
          ofTurn.add(event.key);
          unsaved.add(event.key);
          return;
        case "message_end":
          return commit(event.message);
        case "message_discard":
          unsaved.delete(event.key);
          return ledger.forget(id, event.key);
        case "agent_interrupted":
          return commitUnsaved(messages);
        case "agent_end":
          commitUnsaved(messages);
          return learnFailed(event.outcome.type === "failed");
        default:
      }
    },
    keepAfterStop(message) {
      ledger.save(id, message);
      learnFrom(message);
    },
    rename: (name) => learn({ name }),
    ofTurn,
    get facts() {
      return facts;
    },
  };
}
