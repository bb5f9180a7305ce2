import type { ChatPlace } from "../domain/ids.ts";
import type { Speaker, Urgency } from "./speakers.ts";

/** What could be said in a chat, and when. Without a speaker it is a reply. */
export interface Candidate {
  readonly place: ChatPlace;
  readonly kind: Urgency | "reply";
  /** Since when, or from when on, somebody wants it. */
  readonly wanted: number;
  /** When it may be: not in a rest, and with the tokens that it needs. */
  readonly at: number;
  readonly speaker?: Speaker;
}

/** Tokens that must be there. Of a chat's own an edit needs more, so that it never takes the last one. */
export const TOKENS: Readonly<Record<Candidate["kind"], number>> = {
  reply: 1,
  message: 1,
  edit: 2,
  typing: 0,
};
/** The share of what Telegram tolerates in a stretch of time that stays free for what matters more. */
export const KEPT: Readonly<Record<Candidate["kind"], number>> = {
  reply: 0,
  message: 0.06,
  edit: 0.13,
  typing: 0,
};
const RANK: Readonly<Record<Candidate["kind"], number>> = { reply: 0, message: 1, edit: 2, typing: 3 };

/** What is said next: of what may be said now the first in rank, else whatever may be said first. */
export function nextOf(candidates: readonly Candidate[], now: number): Candidate | undefined {
  const due = candidates.filter(({ at }) => at <= now);
  if (due.length === 0) return candidates.toSorted((a, b) => a.at - b.at)[0];
  // Of equals the one that has waited longest, or one busy thread would silence the others.
  return due.toSorted((a, b) => RANK[a.kind] - RANK[b.kind] || a.wanted - b.wanted)[0];
}
