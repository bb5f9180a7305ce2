import { parseSessionId, type SessionId } from "../domain/ids.ts";
import type { Switched } from "./conversations.ts";
import type { WaitingPart } from "./draft.ts";
import { releaseParts } from "./draft.ts";
import { replies } from "./words.ts";

/** What a command may do in the chat that it was sent in. */
export interface CommandPorts {
  /** Takes the waiting burst away; what it held. */
  discardBurst(): readonly WaitingPart[];
  /** How many prompts wait for the running turn's end, and go with it. */
  readonly waiting: number;
  /** Ends the running turn; false when nothing ran. */
  stopTurn(): boolean;
  /** Points the chat to a new session. */
  clearSession(): void;
  /** Points the chat to a session that is there already. */
  switchSession(id: SessionId): Switched;
  /** Where the deck is, with the key to it; undefined when the HTTP face is off. */
  readonly deckLink: string | undefined;
}

/** A command as it was sent: its name, and what stands behind it. */
export interface SentCommand {
  readonly name: string;
  readonly argument?: string;
}

/**
 * Does a command, at once, and says what to reply. `/start`, `/help`, `/deck` and what evie does not know leave a waiting
 * burst and a running turn as they are. `/start` with a session's id, which is how Telegram opens a link to the bot, leads
 * the chat to that session; a burst that waits goes along.
 */
export function runCommand({ name, argument }: SentCommand, ports: CommandPorts): string {
  switch (name) {
    case "start":
      return argument === undefined ? replies.start : switchTo(argument, ports);
    case "help":
      return replies.help;
    case "deck":
      return ports.deckLink === undefined ? replies.deckIsOff : replies.deck(ports.deckLink);
    case "clear":
    case "new":
      // The burst first: its flush would put a turn onto the session that was just begun.
      releaseParts(ports.discardBurst());
      return withDropped(ports.waiting, () => {
        ports.clearSession();
        return replies.cleared;
      });
    case "stop": {
      const discarded = ports.discardBurst();
      releaseParts(discarded);
      return withDropped(ports.waiting, () =>
        ports.stopTurn() || discarded.length > 0 ? replies.stopped : replies.nothingRuns,
      );
    }
    default:
      return replies.unknownCommand(name);
  }
}

function switchTo(argument: string, { switchSession }: CommandPorts): string {
  const id = parseSessionId(argument);
  const switched: Switched = id === undefined ? { type: "unknown" } : switchSession(id);
  return switched.type === "switched" ? replies.switched(switched.name) : replies.notSwitched[switched.type];
}

/** What `act` replies, and how many prompts went with it: whoever sent them elsewhere waits for an answer. */
function withDropped(waiting: number, act: () => string): string {
  const reply = act();
  return waiting === 0 ? reply : `${reply} ${replies.dropped(waiting)}`;
}
