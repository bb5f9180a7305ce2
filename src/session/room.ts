import type { PromptDraft } from "../domain/prompt.ts";
import { TooManyPromptsError } from "../domain/sessions.ts";

/** Prompts that no agent has yet. */
export interface Load {
  readonly prompts: number;
  /** Bytes of memory for those that are kept whole. What came from a chat lies on the disk. */
  readonly bytes: number;
}

/** What may wait in one session. A request has 20 MiB at most, so two of the largest do. */
export const ROOM_IN_SESSION: Load = { prompts: 100, bytes: 40 * 2 ** 20 };
/** What may wait in all of evie, of prompts that are kept whole. */
export const ROOM_IN_EVIE: Load = { prompts: 1_000, bytes: 128 * 2 ** 20 };

/** Returns how much prompts that wait weigh. */
export function loadOf(drafts: readonly PromptDraft[]): Load {
  return { prompts: drafts.length, bytes: drafts.reduce((sum, draft) => sum + bytesOf(draft), 0) };
}

/** Pictures are base64, and most texts have a byte a character. */
function bytesOf({ whole }: PromptDraft): number {
  return (whole?.images ?? []).reduce((sum, { data }) => sum + data.length, whole?.text.length ?? 0);
}

export function addLoads(loads: readonly Load[]): Load {
  return loads.reduce(
    (sum, { prompts, bytes }) => ({ prompts: sum.prompts + prompts, bytes: sum.bytes + bytes }),
    {
      prompts: 0,
      bytes: 0,
    },
  );
}

/**
 * Throws a TooManyPromptsError when there is no room for one more: in its session, or, where it is kept whole, in evie.
 * What was taken once is not asked about again, also after a restart.
 */
export function checkRoom(draft: PromptDraft, inSession: Load, inEvie: () => Load): void {
  const own = loadOf([draft]);
  if (exceeds(addLoads([inSession, own]), ROOM_IN_SESSION)) throw new TooManyPromptsError("session");
  if (draft.whole !== undefined && exceeds(addLoads([inEvie(), own]), ROOM_IN_EVIE))
    throw new TooManyPromptsError("evie");
}

function exceeds(load: Load, room: Load): boolean {
  return load.prompts > room.prompts || load.bytes > room.bytes;
}
