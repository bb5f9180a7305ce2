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
  /** Gives where the deck is, with the person's key to it; undefined when the HTTP face is off. */
  readonly deckLink: (() => string) | undefined;
}

const NAMES: ReadonlySet<string> = new Set(["start", "help", "deck", "clear", "new", "stop"]);

/** Whether evie knows a command of that name. */
export function isKnownCommand(name: string): boolean {
  return NAMES.has(name);
}

/** Whether what stands behind that command is meant for the agent, as soon as the command has acted. */
export function takesWords(name: string): boolean {
  return name === "clear" || name === "new" || name === "stop";
}

/** A command as it was sent: its name, and what stands behind it. */
export interface SentCommand {
  readonly name: string;
  readonly argument?: string;
}

/**
 * Does a command, at once, and says what to reply. `/start`, `/help`, `/deck` and what evie does not know leave a waiting
 * burst and a running turn as they are. `/start` with a session's id, which is how Telegram opens a link to the bot, leads
 * the chat to that session; a burst that waits goes along. The reply says so where what stands behind the command reaches
 * nobody.
 */
export function runCommand({ name, argument }: SentCommand, ports: CommandPorts): string {
  switch (name) {
    case "start":
      return argument !== undefined && PAYLOAD.test(argument)
        ? switchTo(argument, ports)
        : withUnsent({ name, argument }, replies.start);
    case "help":
      return withUnsent({ name, argument }, replies.help);
    case "deck":
      return withUnsent(
        { name, argument },
        ports.deckLink === undefined ? replies.deckIsOff : replies.deck(ports.deckLink()),
      );
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
      return argument === undefined ? replies.unknownCommand(name) : replies.unknownWithWords(name);
  }
}

/** What Telegram lets a link to a bot carry. */
const PAYLOAD = /^[\w-]{1,64}$/;

function withUnsent(
  { name, argument }: { name: string; argument: string | undefined },
  reply: string,
): string {
  return argument === undefined ? reply : `${reply}\n\n${replies.unsent(name)}`;
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
