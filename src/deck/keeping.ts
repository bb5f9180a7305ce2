import type { Shelf } from "../page-kit/keys.ts";
import { emptyDraft, type DeckState, type Draft, type OutgoingPrompt } from "./state.ts";

/** What outlives a reload. */
export type Kept = Pick<DeckState, "drafts" | "seen" | "outbox">;

export interface Keeping {
  load(): Kept;
  /** Keeps what has changed since the last time. */
  save(state: DeckState): void;
}

const DRAFTS = "evie.drafts";
const SEEN = "evie.seen";
const OUTBOX = "evie.outbox";

/**
 * Keeps the texts of drafts and what has been seen for good (`lasting`), and prompts that evie has not taken for as
 * long as the tab lives (`tab`): two tabs would send each other's. Pictures of drafts are too big to be kept.
 */
export function createKeeping(lasting: Shelf, tab: Shelf): Keeping {
  let kept: Partial<Kept> = {};
  return {
    load: () => {
      const texts = read(lasting, DRAFTS, isRecord) ?? {};
      const drafts = Object.entries(texts).flatMap(([id, text]): readonly [string, Draft][] =>
        typeof text === "string" ? [[id, { ...emptyDraft, text }]] : [],
      );
      const seen = Object.entries(read(lasting, SEEN, isRecord) ?? {}).filter(
        (entry): entry is [string, number] => typeof entry[1] === "number",
      );
      const outbox = (read(tab, OUTBOX, Array.isArray) ?? []).filter(isPrompt);
      return { drafts: Object.fromEntries(drafts), seen: Object.fromEntries(seen), outbox };
    },
    save: ({ drafts, seen, outbox }) => {
      if (drafts !== kept.drafts) {
        const texts = Object.entries(drafts).map(([id, { text }]): [string, string] => [id, text]);
        put(lasting, DRAFTS, Object.fromEntries(texts));
      }
      if (seen !== kept.seen) put(lasting, SEEN, seen);
      if (outbox !== kept.outbox) put(tab, OUTBOX, outbox);
      kept = { drafts, seen, outbox };
    },
  };
}

function put(shelf: Shelf, name: string, value: unknown): void {
  try {
    shelf.setItem(name, JSON.stringify(value));
  } catch {
    // Full or forbidden: it is kept until the page goes, which is what the person would have without it.
  }
}

function read<Kind>(shelf: Shelf, name: string, is: (value: unknown) => value is Kind): Kind | undefined {
  try {
    const value: unknown = JSON.parse(shelf.getItem(name) ?? "null");
    return is(value) ? value : undefined;
  } catch {
    // Forbidden, or written by somebody else.
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPrompt(value: unknown): value is OutgoingPrompt {
  return (
    isRecord(value) &&
    typeof value["requestId"] === "string" &&
    typeof value["sessionId"] === "string" &&
    typeof value["text"] === "string" &&
    typeof value["accepted"] === "boolean" &&
    Array.isArray(value["images"])
  );
}
