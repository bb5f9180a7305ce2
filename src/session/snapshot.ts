import type { Message } from "../domain/events.ts";
import type { ToolState, Transcript } from "../domain/transcript.ts";
import type { Snapshot } from "../domain/wire.ts";
import { lastWithin, LIST_BYTES, newestWithin, SNAPSHOT_BYTES } from "./bounds.ts";
import { headAndTail } from "./shorten.ts";

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
  /** The bytes of a message as JSON. */
  readonly weigh: (message: Message) => number;
}

/** Characters of the output of a tool that an earlier step has left running. */
const LONGEST_OUTPUT = 8_192;

/** A session as somebody who attaches to it gets it: of its messages and its lists as much as fits. */
export function snapshotOf(source: SnapshotSource): Snapshot {
  const { changeable, from, live, hasOlder, weigh, ...session } = source;
  const { tools, turn } = from;
  const { notice, remarks } = live;
  const { messages, more } = newestWithin(from.messages, SNAPSHOT_BYTES, weigh);
  const before = more || hasOlder ? messages[0]?.key : undefined;
  return {
    ...session,
    ...changeable,
    messages,
    ...(before === undefined ? {} : { before }),
    ...(turn === undefined ? {} : { turn }),
    tools: lastWithin(tools.map(withoutOutput), LIST_BYTES),
    ...(notice === undefined ? {} : { notice }),
    remarks: lastWithin(remarks, LIST_BYTES),
  };
}

/** The output of a tool that has ended is a message; of one that still runs, the beginning and the end have to do. */
function withoutOutput(tool: ToolState): ToolState {
  return { ...tool, output: tool.endedAt === undefined ? headAndTail(tool.output, LONGEST_OUTPUT) : "" };
}

/** The fields of `now` that are other ones than those of `old`. */
export function differences(old: Changeable, now: Changeable): Partial<Changeable> {
  const changed = Object.entries(now).filter(([field, value]) => value !== old[field as keyof Changeable]);
  return Object.fromEntries(changed);
}
