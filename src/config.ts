import { parseEnv } from "node:util";
import { absolute, settings } from "./config/fields.ts";
import type { LogLevel, Surroundings } from "./config/fields.ts";
import type { Secret } from "./config/secret.ts";

/** What a person told evie, checked. */
export interface Config {
  /** Undefined without a bot token: then this face is off. */
  readonly telegram?: {
    readonly token: Secret;
    /** Without a slash at its end. */
    readonly apiRoot: string;
    /** Empty: whoever opens the claim link is let in. */
    readonly allowedUsers: readonly number[];
  };
  /** Absolute. It need not exist yet. */
  readonly home: string;
  /** Absolute, and a folder that exists. */
  readonly workspace: string;
  /** The executable and its first arguments; undefined when evie shall find the agent by itself. */
  readonly agentCommand?: readonly string[];
  /** How many agents may run at once; undefined when the machine's memory is to decide. */
  readonly maxAgents?: number;
  /** How many days is kept what nobody uses, Infinity for ever; undefined when evie is to decide. */
  readonly keepDays?: number;
  /** Which ports the HTTP face may take, the first that is free: 0 stands for any. None: it is off. */
  readonly httpPorts: readonly number[];
  /** The IP address that it listens on. */
  readonly httpAddress: string;
  /** Undefined: evie makes one and keeps it. Always set when others than this machine can reach the address. */
  readonly httpToken?: Secret;
  /** Names under which it is reached beside those of loopback. */
  readonly httpNames: readonly string[];
  readonly logLevel: LogLevel;
  /** The environment with what EVIE_HOME/.env adds to it, without the bot token. */
  readonly env: Readonly<Record<string, string>>;
}

/** One thing to put right. Never holds the value of a secret. */
export interface ConfigProblem {
  readonly variable: string;
  /** What is wrong and what to do, as one sentence or two. */
  readonly message: string;
}

/** Either a configuration or everything that is wrong with it; the warnings are lines for the log in both cases. */
export type ConfigReading = { readonly warnings: readonly string[] } & (
  | { readonly config: Config; readonly problems?: never }
  | { readonly config?: never; readonly problems: readonly ConfigProblem[] }
);

const NAMES = [
  "TELEGRAM_BOT_TOKEN",
  "TELEGRAM_API_ROOT",
  "EVIE_ALLOWED_USERS",
  "EVIE_HOME",
  "EVIE_WORKSPACE",
  "EVIE_AGENT_COMMAND",
  "EVIE_MAX_AGENTS",
  "EVIE_KEEP_DAYS",
  "EVIE_HTTP_PORT",
  "EVIE_HTTP_ADDRESS",
  "EVIE_HTTP_TOKEN",
  "EVIE_HTTP_NAMES",
  "LOG_LEVEL",
];

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that EVIE_HOME names, `~/.evie` when it names none. The file `.env` in it is read next. */
export function homeFolder(env: Environment, surroundings: Surroundings): string {
  return absolute(given(env["EVIE_HOME"]) ?? "~/.evie", surroundings);
}

/**
 * Reads the configuration out of the environment and the text of EVIE_HOME/.env, of which the environment wins.
 * An empty value counts as none. Every problem is told, not only the first.
 */
export function readConfig(
  env: Environment,
  options: Surroundings & {
    /** The text of EVIE_HOME/.env, when there is such a file. */
    readonly envFile?: string | undefined;
    readonly isFolder: (path: string) => boolean;
  },
): ConfigReading {
  const fromFile: Environment = parseEnv(plainLines(options.envFile ?? ""));
  const raw: Record<string, string | undefined> = {};
  for (const name of NAMES) raw[name] = given(env[name]) ?? given(fromFile[name]);

  const reading = settings(options).safeParse(raw);
  const problems: ConfigProblem[] = (reading.error?.issues ?? []).map((issue) => ({
    variable: String(issue.path[0]),
    message: issue.message,
  }));
  const { EVIE_HTTP_ADDRESS: address = "127.0.0.1", EVIE_HTTP_TOKEN: httpToken } = raw;
  if (!/^(127\.|::1$)/.test(address) && httpToken === undefined)
    problems.push({
      variable: "EVIE_HTTP_TOKEN",
      message: `Others can reach ${address}, so a token of your own is needed. Make one with: openssl rand -hex 32`,
    });

  const warnings = warningsAbout(env, fromFile);
  if (!reading.success || problems.length > 0) return { problems, warnings };
  const set = reading.data;
  const config: Config = {
    ...(set.TELEGRAM_BOT_TOKEN === undefined
      ? {}
      : {
          telegram: {
            token: set.TELEGRAM_BOT_TOKEN,
            apiRoot: set.TELEGRAM_API_ROOT,
            allowedUsers: set.EVIE_ALLOWED_USERS,
          },
        }),
    home: homeFolder(env, options),
    workspace: set.EVIE_WORKSPACE,
    ...(set.EVIE_AGENT_COMMAND === undefined ? {} : { agentCommand: set.EVIE_AGENT_COMMAND }),
    ...(set.EVIE_MAX_AGENTS === undefined ? {} : { maxAgents: set.EVIE_MAX_AGENTS }),
    ...(set.EVIE_KEEP_DAYS === undefined ? {} : { keepDays: set.EVIE_KEEP_DAYS }),
    httpPorts: set.EVIE_HTTP_PORT,
    httpAddress: set.EVIE_HTTP_ADDRESS,
    ...(set.EVIE_HTTP_TOKEN === undefined ? {} : { httpToken: set.EVIE_HTTP_TOKEN }),
    httpNames: set.EVIE_HTTP_NAMES,
    logLevel: set.LOG_LEVEL,
    env: environmentFor(fromFile, env),
  };
  return { config, warnings };
}

/** The problems as a person reads them on a terminal, one line each. */
export function configProblemWords(problems: readonly ConfigProblem[]): string {
  return ["evie cannot start:", ...problems.map(({ variable, message }) => `  ${variable}: ${message}`)].join(
    "\n",
  );
}

/** A byte order mark would be read as a part of the first name, and a carriage return alone as a part of a value. */
function plainLines(text: string): string {
  return text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
}

function given(value: string | undefined): string | undefined {
  const text = value?.trim();
  return text === "" ? undefined : text;
}

function warningsAbout(env: Environment, fromFile: Environment): readonly string[] {
  const unknown = [...new Set([...Object.keys(env), ...Object.keys(fromFile)])].filter(
    (name) => name.startsWith("EVIE_") && !NAMES.includes(name),
  );
  const known = NAMES.filter((name) => name.startsWith("EVIE_")).join(", ");
  return [
    ...unknown.map((name) => `${name} is unknown and has no effect; evie knows ${known}.`),
    ...(given(fromFile["EVIE_HOME"]) === undefined
      ? []
      : ["EVIE_HOME has no effect in the .env file, which is looked for in that folder."]),
  ];
}

function environmentFor(fromFile: Environment, env: Environment): Readonly<Record<string, string>> {
  const merged: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(fromFile), ...Object.entries(env)]) {
    if (value !== undefined && name !== "TELEGRAM_BOT_TOKEN") merged[name] = value;
  }
  return merged;
}
