import type { Transcript } from "../domain/transcript.ts";
import type { Snapshot } from "../domain/wire.ts";

/** What a snapshot holds beside messages, and what everybody is told of when it changes. */
export type Changeable = Pick<Snapshot, "name" | "state" | "queue"> &
  Partial<Pick<Snapshot, "usage" | "model">>;

export interface SnapshotSource extends Pick<Snapshot, "sessionId" | "cwd"> {
  readonly changeable: Changeable;
  /** The conversation as it was before its running step. */
  readonly from: Transcript;
  /** As it is now: what is no message is not cut at the step. */
  readonly live: Transcript;
  /** Whether there are messages before the first one. */
  readonly hasOlder: boolean;
}

/** A session as somebody who attaches to it gets it. */
export function snapshotOf({ changeable, from, live, hasOlder, ...session }: SnapshotSource): Snapshot {
  const { messages, tools, turn } = from;
  const { notice, remarks } = live;
  const before = hasOlder ? messages[0]?.key : undefined;
  return {
    ...session,
    ...changeable,
    messages,
    ...(before === undefined ? {} : { before }),
    ...(turn === undefined ? {} : { turn }),
    tools: tools.map((tool) => (tool.endedAt === undefined ? tool : { ...tool, output: "" })),
    ...(notice === undefined ? {} : { notice }),
    remarks,
  };
}

/** The fields of `now` that are other ones than those of `old`. */
export function differences(old: Changeable, now: Changeable): Partial<Changeable> {
  const changed = Object.entries(now).filter(([field, value]) => value !== old[field as keyof Changeable]);
  return Object.fromEntries(changed);
}
