import type { Face, Notice } from "../domain/events.ts";
import type { TurnOutcome } from "../domain/turn.ts";
import { endOf, type Transcript } from "../domain/transcript.ts";
import type { SessionPhase, Usage, WireMessage } from "../domain/wire.ts";

/** Every word about a session that is not the agent's own. */

export const PHASES: Readonly<Record<SessionPhase, string>> = {
  idle: "idle",
  running: "running",
  waiting: "waiting for you",
  failed: "failed",
};

export const FACES: Readonly<Record<Face, string>> = {
  telegram: "Telegram",
  http: "HTTP",
  deck: "deck",
};

export function noticeWords(notice: Notice): string {
  switch (notice.type) {
    case "retrying":
      return `Trying again (${notice.attempt} of ${notice.maxAttempts}) in ${seconds(notice.delayMs)}: ${notice.reason}`;
    case "compacting":
      return "Condensing the history…";
    case "waiting_for_agent":
      return `Waiting for another agent to finish (${notice.most} of ${notice.most} run).`;
    case "question_cancelled":
      return `A question was cancelled: ${notice.title}`;
    case "question_open":
      return `The agent asks: ${notice.title}`;
    case "image_omitted":
      return "The agent left a picture out: its model cannot see.";
    case "history_lost":
      return "The session's history could not be read: the agent begins anew.";
    case "extension_message":
      return notice.text;
  }
}

/** How the turn ended; nothing where it simply was answered, or where its last message says so already. */
export function endWords({ turn, messages }: Pick<Transcript, "turn" | "messages">): string | undefined {
  const outcome = endOf(turn);
  if (outcome === undefined) return undefined;
  const words = outcomeWords(outcome);
  if (turn?.outcome === undefined) return `${words}. The agent has not ended yet.`;
  const last = messages.findLast(({ afterStop }) => afterStop !== true);
  if (outcome.type === "stopped" && last?.stopReason === "aborted") return undefined;
  const isSaid =
    last?.error !== undefined && words?.toLowerCase().includes(last.error.toLowerCase()) === true;
  return isSaid ? undefined : words;
}

/** What is said below a message that failed, or that is not whole; nothing below any other. */
export function troubleWords({
  stopReason,
  error,
}: Pick<WireMessage, "stopReason" | "error">): string | undefined {
  if (stopReason === "aborted") return "Cut off: the turn was stopped here.";
  if (stopReason === "length") return error ?? "Cut off: the model's answer was at its longest.";
  if (stopReason === "error") return error ?? "The model failed here.";
  return error;
}

const NEVER_REACHED = "Replaced before the agent had the prompt";

export function outcomeWords(outcome: TurnOutcome): string | undefined {
  switch (outcome.type) {
    case "done":
      return outcome.cut?.message;
    case "replaced":
      return outcome.message === undefined ? "Replaced by the next prompt" : NEVER_REACHED;
    case "stopped":
      return "Stopped";
    case "failed":
      return outcome.message;
  }
}

/** `40 ms`, `0.4 s`, `12 s`, `3 min 5 s`, `1 h 2 min`. */
export function seconds(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.round(ms / 1_000);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** Of something that still runs: whole seconds, so that the eye is not drawn to it ten times a second. */
export function runningSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.floor(ms / 1_000)} s` : seconds(Math.floor(ms / 1_000) * 1_000);
}

/** `now`, `5 min`, `3 h`, or the day. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return new Date(at).toLocaleDateString([], { day: "numeric", month: "short" });
}

export function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

/** `12.3k in, 4.1k out, $0.42`. */
export function usageWords({ input, output, cacheRead, cacheWrite, cost }: Usage): string {
  const money = cost === 0 ? [] : [cost < 0.01 ? "< $0.01" : `$${cost.toFixed(2)}`];
  return [`${thousands(input + cacheRead + cacheWrite)} in`, `${thousands(output)} out`, ...money].join(", ");
}

function thousands(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** The last folder of a path. */
export function folderName(cwd: string): string {
  return cwd.split(/[\\/]/).findLast((part) => part !== "") ?? cwd;
}

/** A session has no name before its first prompt. */
export function sessionName(name: string | undefined): string {
  return name === undefined || name === "" ? "New session" : name;
}
