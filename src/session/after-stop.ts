import type { AgentEvent, Content, Message, TurnEvent } from "../domain/events.ts";
import { applyEvent, emptyTranscript, isPending, type Transcript } from "../domain/transcript.ts";

export interface AfterStopOptions {
  /** Called with each message that is to be kept, in order; again with the same key when it is another one. */
  readonly keep: (message: Message) => void;
  /** Called when a message that was kept is no longer true. */
  readonly forget: (key: string) => void;
}

/**
 * Keeps what an agent still says after the interruption of its turn from everybody. Its messages are for the record
 * alone, and marked there; notices and the progress of tools are nothing to anybody any more.
 */
export interface AfterStop {
  /** To be called with each event, received at `at` (milliseconds since 1970), before anybody is told. True: nobody is to be. */
  takes(event: AgentEvent | TurnEvent, at: number): boolean;
  /** Begins, until the turn's end. `underWay` are the messages that had not ended, as far as they had come. */
  begin(underWay: readonly Message[]): void;
}

export function createAfterStop({ keep, forget }: AfterStopOptions): AfterStop {
  let interrupted = false;
  /** The person's own words in this turn, once the agent has repeated them. */
  let promptKey: string | undefined;
  /** What was shown of the messages that were under way. */
  let shown: ReadonlyMap<string, Message> = new Map();
  let transcript: Transcript = emptyTranscript;

  function take(event: AgentEvent, at: number): void {
    transcript = applyEvent(transcript, { ...event, seq: transcript.seq + 1, at });
    if (event.type === "message_end") keepMessage(event.message);
    // What was shown stays: an attempt that begins anew now is not what anybody sees.
    if (event.type === "message_discard" && !shown.has(event.key)) forget(event.key);
  }

  /** The turn has ended: what was under way is kept as far as it came. */
  function close(): void {
    for (const message of transcript.messages)
      if (isPending(message)) keepMessage({ ...message, stopReason: "aborted" });
    interrupted = false;
    shown = new Map();
    transcript = emptyTranscript;
  }

  function keepMessage(message: Message): void {
    const before = shown.get(message.key);
    if (before === undefined) return keep({ ...message, afterStop: true });
    const { usage, model } = message;
    // What it cost is known only now. What is shown of it stays as it is.
    if (usage !== undefined || model !== undefined) {
      keep({
        ...before,
        stopReason: "aborted",
        ...(usage === undefined ? {} : { usage }),
        ...(model === undefined ? {} : { model }),
      });
    }
    const content = contentBehind(before.content, message.content);
    if (content.length === 0) return;
    const { usage: _counted, ...rest } = message;
    keep({ ...rest, key: `${message.key}-after-stop`, content, afterStop: true });
  }

  /** The person's words are not the agent's: they are shown, also where it takes them only now. */
  function isPrompt(event: AgentEvent): boolean {
    if (event.type !== "message_start" && event.type !== "message_end") return false;
    if (event.message.role !== "user") return false;
    promptKey ??= event.key;
    return event.key === promptKey;
  }

  return {
    takes(event, at) {
      switch (event.type) {
        case "agent_start":
          promptKey = undefined;
          return false;
        case "agent_interrupted":
          return false;
        case "agent_end":
          if (interrupted) close();
          return false;
        default:
          if (isPrompt(event) || !interrupted) return false;
          take(event, at);
          return true;
      }
    },
    begin(underWay) {
      interrupted = true;
      shown = new Map(underWay.map((message) => [message.key, message]));
      transcript = { ...emptyTranscript, messages: underWay };
    },
  };
}

/** What `whole` says beyond what was shown of it; all of a part that says something else by now. */
function contentBehind(shown: readonly Content[], whole: readonly Content[]): readonly Content[] {
  return whole.flatMap((part, at): readonly Content[] => {
    const before = shown[at];
    switch (part.type) {
      case "text":
      case "thinking": {
        const known = before?.type === part.type && part.text.startsWith(before.text) ? before.text : "";
        return part.text === known ? [] : [{ ...part, text: part.text.slice(known.length) }];
      }
      case "toolCall":
        return before?.type === "toolCall" && before.id === part.id && isWhole(before.args) ? [] : [part];
      case "image":
        return before?.type === "image" ? [] : [part];
    }
  });
}

/** Whether the arguments of a call had been written to their end. */
function isWhole(args: string): boolean {
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}
