import { isIP } from "node:net";
import { resolve } from "node:path";
import { split } from "shlex";
import * as z from "zod";
import { Secret } from "./secret.ts";

/** Where the configuration is read; all of it handed in, so that reading is pure. */
export interface Surroundings {
  /** The folder evie was started in. */
  readonly cwd: string;
  /** The person's own folder, which `~` stands for. */
  readonly homedir: string;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where the HTTP face is found unless something else is there. */
export const HTTP_PORT = 3_843;
/** How many ports are tried before any free one is taken. */
const TRIED = 10;

const WHERE_IDS_ARE = "@userinfobot on Telegram tells you yours";

/** Called with what was given: none of them sees an empty text. Messages never repeat a token. */
export function settings({
  isFolder,
  ...surroundings
}: Surroundings & { isFolder: (path: string) => boolean }) {
  return z.object({
    TELEGRAM_BOT_TOKEN: z
      .string()
      .regex(
        /^\d+:[\w-]+$/,
        "This is no bot token. @BotFather gives you one: a number, a colon, and a long word.",
      )
      .transform((text) => new Secret(text))
      .optional(),
    TELEGRAM_API_ROOT: z
      .string()
      .default("https://api.telegram.org")
      .transform((text, context) => readApiRoot(text) ?? problem(context, API_ROOT_PROBLEM)),
    EVIE_ALLOWED_USERS: z
      .string()
      .default("")
      .transform((text, context) => {
        const words = text.split(/[\s,]+/).filter((word) => word !== "");
        for (const word of words) if (!isUserId(word)) problem(context, noUserId(word));
        return [...new Set(words.map(Number))];
      }),
    EVIE_WORKSPACE: z
      .string()
      .default(surroundings.cwd)
      .transform((text, context) => {
        const path = absolute(text, surroundings);
        return isFolder(path)
          ? path
          : problem(context, `There is no folder ${path}. Make it, or name the one the agent shall work in.`);
      }),
    EVIE_AGENT_COMMAND: z
      .string()
      .transform((text, context) => {
        const words = shellWords(text);
        if (words === undefined) return problem(context, "A quote is opened and never closed.");
        const [file = "", ...args] = words;
        if (file === "")
          return problem(context, "It begins with an empty word. Name the agent's program first.");
        return [expandHome(file, surroundings), ...args];
      })
      .optional(),
    EVIE_MAX_AGENTS: z
      .string()
      .refine((text) => /^[1-9]\d{0,3}$/.test(text), {
        error: "It is the number of agents that may run at once, from 1 to 9999.",
      })
      .transform(Number)
      .optional(),
    EVIE_KEEP_DAYS: z
      .string()
      .refine((text) => /^\d{1,5}$/.test(text), {
        error: "It is the number of days that what nobody uses is kept, from 1 to 99999, or 0 for ever.",
      })
      .transform((text) => (Number(text) === 0 ? Number.POSITIVE_INFINITY : Number(text)))
      .optional(),
    EVIE_HTTP_PORT: z
      .string()
      .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535, {
        error: "A port is a number from 1 to 65535, or 0 for none.",
      })
      .transform((text) => [Number(text)].filter((port) => port !== 0))
      .default(() => portsFrom(HTTP_PORT)),
    EVIE_HTTP_ADDRESS: z
      .string()
      .default("127.0.0.1")
      .refine((text) => isIP(text) !== 0, {
        error: "This is no IP address. 127.0.0.1 listens on this machine alone.",
      }),
    EVIE_HTTP_TOKEN: z
      .string()
      .regex(
        /^[\w-]{32,}$/,
        "A token is 32 letters, digits, _ or - at least. Without one, evie makes its own.",
      )
      .transform((text) => new Secret(text))
      .optional(),
    EVIE_HTTP_NAMES: z
      .string()
      .default("")
      .transform((text, context) => {
        const names = text.split(/[\s,]+/).filter((name) => name !== "");
        for (const name of names)
          if (!/^[a-z\d.-]+(:\d{1,5})?$/i.test(name))
            problem(context, `"${name}" is no host name, such as evie.example or evie.example:8443.`);
        return names;
      }),
    LOG_LEVEL: z
      .string()
      .default("info")
      .transform((text) => text.toLowerCase())
      .pipe(z.enum(LOG_LEVELS, { error: `It is one of ${LOG_LEVELS.join(", ")}.` })),
  });
}

/** Ports to look at when none was named, from `first` on. */
export function portsFrom(first: number): number[] {
  return [...Array.from({ length: TRIED }, (_, step) => first + step), 0];
}

function problem(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

const API_ROOT_PROBLEM =
  "It is an address such as http://localhost:8081, with http or https, and without a user, a ? or a #.";

function readApiRoot(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) return undefined;
  return text.replace(/\/+$/, "");
}

function isUserId(word: string): boolean {
  return /^[1-9]\d*$/.test(word) && Number.isSafeInteger(Number(word));
}

function noUserId(word: string): string {
  const what = /^-\d+$/.test(word)
    ? `"${word}" is a group's id; people's are positive`
    : /[a-z@]/i.test(word)
      ? `"${word}" is a name, and names can change hands; a numeric id is needed`
      : `"${word}" is no Telegram user id`;
  return `${what}. ${WHERE_IDS_ARE.replace("yours", "the id")}.`;
}

/** The words that a shell would make of it, without what a shell would put in for variables; undefined where a quote stays open. */
function shellWords(text: string): readonly string[] | undefined {
  try {
    return split(text);
  } catch {
    return undefined;
  }
}

/** `path` from the folder evie was started in, `~` expanded. */
export function absolute(path: string, surroundings: Surroundings): string {
  return resolve(surroundings.cwd, expandHome(path, surroundings));
}

function expandHome(path: string, { homedir }: Surroundings): string {
  return path.replace(/^~(?=\/|$)/, () => homedir);
}
