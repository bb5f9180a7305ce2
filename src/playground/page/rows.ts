import type { ChatMessage } from "../wire.ts";

/** One line of the chat: a message, or an album. */
export interface Row {
  readonly id: number;
  readonly messages: readonly ChatMessage[];
  /** The day that begins with it. */
  readonly day?: number;
  /** Whether it begins and ends what its author says in a row. */
  readonly first: boolean;
  readonly last: boolean;
}

/** Messages that follow each other within this time are shown close together. */
const TOGETHER_MS = 5 * 60_000;

/** Puts albums together, and marks where days and authors change. */
export function rowsOf(messages: readonly ChatMessage[]): readonly Row[] {
  const groups: ChatMessage[][] = [];
  for (const message of messages) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (message.album !== undefined && before?.album === message.album) group?.push(message);
    else groups.push([message]);
  }
  return groups.map((group, index) => {
    const [head] = group;
    const before = groups[index - 1]?.at(-1);
    const after = groups[index + 1]?.[0];
    if (head === undefined) return { id: 0, messages: group, first: true, last: true };
    const newDay = before === undefined || dayNumber(before.at) !== dayNumber(head.at);
    return {
      id: head.id,
      messages: group,
      ...(newDay ? { day: head.at } : {}),
      first: newDay || !together(before, head),
      last: after === undefined || dayNumber(after.at) !== dayNumber(head.at) || !together(head, after),
    };
  });
}

function together(a: ChatMessage, b: ChatMessage): boolean {
  return a.mine === b.mine && b.at - a.at < TOGETHER_MS;
}

function dayNumber(at: number): string {
  return new Date(at).toDateString();
}

/** Whether two rows look the same, so that only what has changed is drawn. */
export function sameRow(a: Row, b: Row): boolean {
  return (
    a.first === b.first &&
    a.last === b.last &&
    a.day === b.day &&
    a.messages.length === b.messages.length &&
    a.messages.every((message, index) => message === b.messages[index])
  );
}
