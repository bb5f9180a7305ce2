import type { SessionInfo } from "../domain/wire.ts";
import type { DeckState } from "./state.ts";

/** Whether something has happened in a session since it was last looked at. */
export function isUnread({ seen }: DeckState, { id, updatedAt }: SessionInfo): boolean {
  return updatedAt > (seen[id] ?? 0);
}

/** Notes the shown session as looked at; with `all`, what a first visit finds is not news either. */
export function look(state: DeckState, all = false): DeckState {
  const seen = { ...state.seen };
  for (const { id, updatedAt } of state.sessions ?? []) {
    if (id === state.shown || (all && seen[id] === undefined)) seen[id] = updatedAt;
  }
  return { ...state, seen };
}
