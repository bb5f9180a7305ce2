import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Clock } from "../domain/clock.ts";
import { parseWithinLevels } from "../domain/levels.ts";
import { startDeadline } from "./deadline.ts";
import { loose, numberOf, stringOf } from "./loose.ts";
import { UnauthorizedError } from "./poller.ts";
import { request } from "./transport.ts";

/** Milliseconds that Telegram has for each answer. */
const PROBE_DEADLINE = 10_000;

/** What Telegram says of a bot, asked once. It does not disturb an evie that polls. */
export type ProbedBot =
  | {
      readonly type: "known";
      readonly id: number;
      readonly username: string;
      /** The host that a webhook leads to; `""` when none is set. Its path may hold a secret. */
      readonly webhook: string;
      /** Milliseconds that this machine's clock is ahead of Telegram's, to the second; undefined when it did not say. */
      readonly ahead: number | undefined;
    }
  /** `problem` is one sentence or two for the person, with what to do. */
  | { readonly type: "failed"; readonly problem: string };

export interface ProbeBotOptions {
  readonly token: string;
  /** Without a slash at its end. */
  readonly apiRoot: string;
  readonly clock: Clock;
}

/** Asks Telegram who the bot is, whether a webhook is set, and what time it is. Never rejects. */
export async function probeBot(options: ProbeBotOptions): Promise<ProbedBot> {
  const me = await ask(options, "getMe");
  if ("problem" in me) return { type: "failed", problem: me.problem };
  const { id, username } = loose<{ id: number; username: string }>(me.result);
  const hook = await ask(options, "getWebhookInfo");
  if ("problem" in hook) return { type: "failed", problem: hook.problem };
  const { url } = loose<{ url: string }>(hook.result);
  return {
    type: "known",
    id: numberOf(id) ?? 0,
    username: stringOf(username) ?? "",
    webhook: hostOf(stringOf(url) ?? ""),
    ahead: me.ahead,
  };
}

type Asked = { readonly result: unknown; readonly ahead: number | undefined } | { readonly problem: string };

async function ask({ token, apiRoot, clock }: ProbeBotOptions, method: string): Promise<Asked> {
  const deadline = startDeadline(clock, PROBE_DEADLINE);
  try {
    const response = await request(`${apiRoot}/bot${token}/${method}`, { signal: deadline.signal });
    const at = clock.date();
    const answer = loose<ApiAnswer>(await readJson(response));
    if (answer.ok === true) return { result: answer.result, ahead: aheadOf(response.headers.date, at) };
    if (answer.ok !== false)
      return {
        problem: `${hostOf(apiRoot)} answered, with status ${response.statusCode}, but not as Telegram does. ${SEE_ROOT}`,
      };
    const code = numberOf(answer.error_code);
    if (code === 401 || code === 404) return { problem: new UnauthorizedError().message };
    return {
      problem: `Telegram would not say (${code}: ${stringOf(answer.description) ?? ""}). Try again in a while.`,
    };
  } catch (error) {
    if (deadline.signal.aborted)
      return {
        problem: `${hostOf(apiRoot)} did not answer within ${PROBE_DEADLINE / 1_000} s. ${SEE_NETWORK}`,
      };
    return { problem: `${hostOf(apiRoot)} cannot be reached (${codeOf(error)}). ${SEE_NETWORK}` };
  } finally {
    deadline.cancel();
  }
}

interface ApiAnswer {
  readonly ok: boolean;
  readonly result: unknown;
  readonly error_code: number;
  readonly description: string;
}

const SEE_NETWORK =
  "See that this machine is online, and that nothing between it and Telegram is in the way.";
const SEE_ROOT = "See that TELEGRAM_API_ROOT is right, and that no proxy is in the way.";

async function readJson(response: IncomingMessage): Promise<unknown> {
  const body = await text(response);
  try {
    return parseWithinLevels(body);
  } catch {
    return undefined;
  }
}

function aheadOf(date: string | undefined, at: number): number | undefined {
  const theirs = Date.parse(date ?? "");
  return Number.isNaN(theirs) ? undefined : at - theirs;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** The system's code. Nothing else of the error: it may hold the address with the token. */
function codeOf(error: unknown): string {
  const causes = [error, error instanceof Error ? error.cause : undefined];
  const codes = causes.map((each): unknown =>
    each instanceof Error ? Reflect.get(each, "code") : undefined,
  );
  return codes.find((code) => typeof code === "string") ?? "no connection";
}
