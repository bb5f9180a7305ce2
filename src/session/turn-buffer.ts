import type { Message, ReplayEvent, SessionEvent } from "../domain/events.ts";

/** What a running step is made of, as it is kept for whoever comes late: no pieces, only wholes. */
export type BufferedEvent =
  | Extract<
      ReplayEvent,
      {
        readonly type:
          | "turn_start"
          | "turn_end"
          | "message_start"
          | "message_end"
          | "message_discard"
          | "tool_execution_start"
          | "tool_execution_update"
          | "tool_execution_end";
      }
    >
  | WholeUpdate;

/** A message in flight as a whole. */
export type WholeUpdate = Exclude<ReplayEvent, SessionEvent>;

/** How an event is buffered; undefined when it is not of the step, or says nothing. `messages` have it folded already. */
export function entryOf(event: SessionEvent, messages: readonly Message[]): BufferedEvent | undefined {
  switch (event.type) {
    case "notice":
    case "agent_start":
    case "agent_interrupted":
    case "agent_end":
      return undefined;
    case "message_update": {
      const { type, seq, at, key } = event;
      const message = messages.findLast((other) => other.key === key);
      return message === undefined ? undefined : { type, seq, at, key, message };
    }
    default:
      return event;
  }
}

/**
 * Appends `event`, or lets it take the last entry's place when it says all that that one says: an update of the same
 * message, or of the same tool. Only the last entry is looked at, so that a parallel tool's update in between keeps
 * both, and an append costs the same however long the step has become. No event is changed.
 */
export function appendTurnEvent(buffer: BufferedEvent[], event: BufferedEvent): void {
  const last = buffer.at(-1);
  if (last !== undefined && supersedes(event, last)) buffer[buffer.length - 1] = event;
  else buffer.push(event);
}

function supersedes(event: BufferedEvent, last: BufferedEvent): boolean {
  if (event.type === "message_update") return last.type === "message_update" && last.key === event.key;
  if (event.type !== "tool_execution_update") return false;
  return last.type === "tool_execution_update" && last.toolCallId === event.toolCallId;
}

/**
 * The buffer as it is sent: of each message and each tool only the newest update, and none of what has ended. A start
 * stays, since it holds the place, but what is said again later is left out of it. Folds to the same transcript as
 * the whole buffer does.
 */
export function condenseForReplay(buffer: readonly BufferedEvent[]): readonly BufferedEvent[] {
  const later = createLater();
  const kept: BufferedEvent[] = [];
  for (const event of buffer.toReversed()) {
    const isSaidAgain = later.says(event);
    later.add(event);
    if (!isSaidAgain || !isUpdate(event)) kept.push(isSaidAgain ? withoutContent(event) : event);
  }
  return kept.toReversed();
}

/** The places of the updates that later entries say again, oldest first. */
export function supersededUpdates(buffer: readonly BufferedEvent[]): readonly number[] {
  const later = createLater();
  const places: number[] = [];
  for (let place = buffer.length - 1; place >= 0; place -= 1) {
    const event = buffer[place];
    if (event === undefined) continue;
    if (isUpdate(event) && later.says(event)) places.push(place);
    later.add(event);
  }
  return places.toReversed();
}

/** What the entries behind one say, while a buffer is walked from its end. */
function createLater() {
  const messages = new Set<string>();
  const tools = new Set<string>();
  return {
    says(event: BufferedEvent): boolean {
      switch (event.type) {
        case "message_start":
        case "message_update":
          return messages.has(event.key);
        case "tool_execution_update":
          return tools.has(event.toolCallId);
        default:
          return false;
      }
    },
    add(event: BufferedEvent): void {
      switch (event.type) {
        case "message_start":
        case "message_update":
        case "message_end":
        case "message_discard":
          messages.add(event.key);
          return;
        case "tool_execution_update":
        case "tool_execution_end":
          tools.add(event.toolCallId);
          return;
        case "tool_execution_start":
          // What comes before is of another tool that happened to have the same id.
          tools.delete(event.toolCallId);
          return;
        default:
      }
    },
  };
}

function isUpdate(event: BufferedEvent): boolean {
  return event.type === "message_update" || event.type === "tool_execution_update";
}

function withoutContent(event: BufferedEvent): BufferedEvent {
  if (event.type !== "message_start" || event.message.content.length === 0) return event;
  return { ...event, message: { ...event.message, content: [] } };
}
