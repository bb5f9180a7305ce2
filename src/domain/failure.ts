/** What can go wrong on the agent's side, as data; its class tells whose fault it was. */
export type AgentFailure =
  /** No agent program was found. */
  | { readonly type: "missing"; readonly command: string }
  /** The program ended before it could take a prompt. */
  | { readonly type: "start_failed"; readonly exit: AgentExit }
  /** It did not answer within the start deadline. */
  | { readonly type: "start_timeout"; readonly seconds: number }
  /** It speaks a protocol from before deltas (pi before 0.84). */
  | { readonly type: "too_old" }
  /** The session's folder does not exist any more. */
  | { readonly type: "workspace_gone"; readonly cwd: string }
  /** The session's file cannot be opened; it stays where it is. */
  | { readonly type: "history_unusable"; readonly file: string; readonly reason: string }
  /** The agent could not read the session's file, which was set aside: the next prompt begins a new one. */
  | { readonly type: "history_damaged"; readonly movedTo: string }
  /** It ended in the middle of a turn. */
  | { readonly type: "exited"; readonly exit: AgentExit }
  /** It answered the prompt with a refusal, such as a missing key. */
  | { readonly type: "refused"; readonly reason: string }
  /** Its model failed, retries included. */
  | { readonly type: "model_failed"; readonly reason: string }
  /** A fault of evie itself. */
  | { readonly type: "internal"; readonly reason: string };

/** How a process ended, and the last line that it said on stderr. */
export interface AgentExit {
  readonly code?: number;
  readonly signal?: string;
  readonly lastWords?: string;
}

/** The one sentence (or two) that a person reads: what happened, and what to do about it. */
export function failureSentence(failure: AgentFailure): string {
  switch (failure.type) {
    case "missing":
      return `The agent was not found (${failure.command}). Install pi, or set EVIE_AGENT_COMMAND on the machine evie runs on.`;
    case "start_failed":
      return `The agent could not start (${exitWords(failure.exit)}). Run it once by hand on evie's machine to see why.`;
    case "start_timeout":
      return `The agent did not answer within ${failure.seconds} s of its start and was ended. Send your message again to try once more.`;
    case "too_old":
      return "The agent speaks an old protocol. Update it to pi 0.84 or newer on evie's machine.";
    case "workspace_gone":
      return `The folder of this session is gone (${failure.cwd}). Put it back, or send /clear for a new session.`;
    case "history_unusable":
      return `The history of this session cannot be opened (${oneLine(failure.reason)}). Send /clear for a new session; the old one stays on evie's machine, in ${failure.file}.`;
    case "history_damaged":
      return `The history of this session could not be read, so it was set aside as ${failure.movedTo}. Send your message again: the agent begins anew.`;
    case "exited":
      return `The agent ended unexpectedly (${exitWords(failure.exit)}). Send a message to start it again.`;
    case "refused":
      return sentence("The agent refused the prompt", failure.reason);
    case "model_failed":
      return sentence("The model could not answer", failure.reason);
    case "internal":
      return `evie made a mistake (${oneLine(failure.reason) || NO_REASON}). Send the message again; the log on its machine tells more.`;
  }
}

/** `exit code 3: last line of stderr`, for people and for the log. */
export function exitWords({ code, signal, lastWords }: AgentExit): string {
  const how =
    signal !== undefined ? `signal ${signal}` : code !== undefined ? `exit code ${code}` : "no exit code";
  const words = oneLine(lastWords ?? "");
  return words === "" ? how : `${how}: ${words}`;
}

/** Characters of a reason. */
const LONGEST_REASON = 300;

const NO_REASON = "it gave no reason";

function sentence(what: string, reason: string): string {
  const why = oneLine(reason) || NO_REASON;
  return `${what}: ${why}${/[.!?…]$/.test(why) ? "" : "."}`;
}

/**
 * Reasons come from outside and can be pages of JSON: white space is folded, and what is long is cut, between
 * characters, because Telegram refuses a text with half a one.
 */
function oneLine(text: string): string {
  const characters = Array.from(text.toWellFormed().replace(/\s+/g, " ").trim());
  return characters.length <= LONGEST_REASON
    ? characters.join("")
    : `${characters.slice(0, LONGEST_REASON - 1).join("")}…`;
}
