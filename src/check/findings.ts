import { exitWords, failureSentence } from "../domain/failure.ts";
import type { Probed } from "../agent/pi/probe.ts";
import type { DatabaseState } from "../store/check-database.ts";
import type { ProbedBot } from "../telegram/probe.ts";
import { type Finding, ok, problem, unknown } from "./finding.ts";

/** Milliseconds that two clocks may differ; Telegram tells its time to the second, and an answer takes a while. */
const CLOCK_TOLERANCE = 30_000;

/** Bytes that must be free: ten of the largest files that a person can send. */
const ENOUGH_ROOM = 200_000_000;

export function botFinding(bot: ProbedBot): Finding {
  if (bot.type === "failed") return problem("bot", bot.problem);
  return ok("bot", `Telegram knows it as @${bot.username} (${bot.id}).`);
}

export function webhookFinding(bot: ProbedBot): Finding {
  if (bot.type === "failed") return unknown("webhook", "Not known without an answer of Telegram's.");
  if (bot.webhook === "") return ok("webhook", "None is set.");
  return ok(
    "webhook",
    `One is set, to ${bot.webhook}. evie removes it when it starts, and that program then hears nothing more.`,
  );
}

export function clockFinding(bot: ProbedBot): Finding {
  if (bot.type === "failed" || bot.ahead === undefined)
    return unknown("clock", "Not compared: Telegram did not tell the time.");
  const seconds = Math.round(Math.abs(bot.ahead) / 1_000);
  if (Math.abs(bot.ahead) <= CLOCK_TOLERANCE) return ok("clock", "It agrees with Telegram's.");
  const way = bot.ahead > 0 ? "ahead of" : "behind";
  return problem(
    "clock",
    `It is ${seconds} s ${way} Telegram's. Set it (timedatectl set-ntp true): evie dates messages by it.`,
  );
}

/** `owner` is undefined when nobody has claimed the bot. */
export function peopleFinding(allowed: readonly number[], owner: number | undefined): Finding {
  const people = [
    ...(owner === undefined ? [] : [`the owner ${owner}`]),
    ...(allowed.length === 0 ? [] : [`${allowed.length} in EVIE_ALLOWED_USERS`]),
  ];
  if (people.length > 0) return ok("people", `Who may use it: ${people.join(" and ")}.`);
  return ok("people", "Nobody yet. evie prints a link when it starts; who opens it first is the owner.");
}

/** `program` is how the agent is started; undefined when none was found. */
export function agentFinding(program: string | undefined, probed: Probed | undefined): Finding {
  if (program === undefined || probed === undefined)
    return problem("agent", failureSentence({ type: "missing", command: "pi" }));
  if (probed.type === "failed") {
    const { failure } = probed;
    return problem(
      "agent",
      failure.type === "start_failed"
        ? `It does not start (${exitWords(failure.exit)}). Run it once by hand to see why: ${program}`
        : failureSentence(failure).replace(
            " Send your message again to try once more.",
            ` Run it once by hand to see why: ${program}`,
          ),
    );
  }
  if (probed.model === undefined)
    return problem(
      "agent",
      `It starts, and has no model that it holds a key for. Run it by hand (${program}), then /login, or set a provider's key.`,
    );
  return ok("agent", `It starts, and asks ${probed.model} (${program}).`);
}

export function storeFinding(path: string, state: DatabaseState): Finding {
  switch (state.type) {
    case "new":
      return ok("store", "There is none yet; the first start makes it.");
    case "sound":
      return ok("store", "It is sound.");
    case "newer":
      return problem(
        "store",
        `A newer evie wrote it (schema ${state.version}). Update evie, or set EVIE_HOME to another folder.`,
      );
    case "damaged":
      return problem(
        "store",
        `${path} is damaged (${state.reason}). Put a copy back if you have one; else evie sets it aside at its next start and begins a new one.`,
      );
  }
}

/** `free` in bytes. */
export function diskFinding(folder: string, free: number): Finding {
  const megabytes = Math.floor(free / 1_000_000);
  if (free >= ENOUGH_ROOM) return ok("disk", `${megabytes} MB are free for ${folder}.`);
  return problem(
    "disk",
    `Only ${megabytes} MB are free for ${folder}. Make room: without it evie can take no messages.`,
  );
}
