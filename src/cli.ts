import { parseArgs } from "node:util";

/** What the person asked for on the command line. */
export type Command =
  | { readonly type: "run" }
  | { readonly type: "help" }
  | { readonly type: "version" }
  /** Not understood: one line for stderr, and exit code `EXIT_USAGE`. */
  | { readonly type: "wrong"; readonly message: string };

/** `EX_USAGE` and `EX_CONFIG` of sysexits.h: a service manager need not try again. */
export const EXIT_USAGE = 64;
export const EXIT_CONFIG = 78;

/** Reads the words behind `evie` (without node and the script). Never throws. */
export function parseCommandLine(argv: readonly string[]): Command {
  const { tokens } = parseArgs({
    args: [...argv],
    options: { help: { type: "boolean", short: "h" }, version: { type: "boolean", short: "V" } },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  let asked: Command | undefined;
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") return wrong(`the command "${token.value}" is unknown`);
    const named = token.name === "help" || token.name === "version" ? token.name : undefined;
    if (named === undefined) return wrong(`the option ${token.rawName} is unknown`);
    if (token.value !== undefined) return wrong(`the option ${token.rawName} takes no value`);
    if (asked?.type !== "help") asked = { type: named };
  }
  return asked ?? { type: "run" };
}

function wrong(what: string): Command {
  return { type: "wrong", message: `evie: ${what}; evie --help lists what there is.` };
}

/** What `evie --help` prints, at most 80 columns wide, without a newline at its end. */
export const helpText = `evie: talk to the coding agent on your own machine from wherever you are.

Usage
  evie                  start, and run until it is ended with Ctrl-C
  evie --help           show this
  evie --version        show the version

Environment                                                       (default)
  TELEGRAM_BOT_TOKEN    the token of your bot, from @BotFather
  EVIE_ALLOWED_USERS    numeric ids of who may use it: 12345,67890
  EVIE_WORKSPACE        the folder the agent works in             (this one)
  EVIE_HOME             where evie keeps its state                (~/.evie)
  EVIE_AGENT_COMMAND    how the agent is started                  (pi)
  TELEGRAM_API_ROOT     another Bot API server                    (Telegram's)
  EVIE_HTTP_PORT        the port of the HTTP face, 0 for none     (0)
  LOG_LEVEL             trace, debug, info, warn, error, silent   (info)

State
  Everything evie keeps lies in EVIE_HOME. A file .env there may hold the
  variables above, one NAME=value a line; the environment wins over it.

Example
  The file ~/.evie/.env:
    TELEGRAM_BOT_TOKEN=123456789:AA...
    EVIE_ALLOWED_USERS=12345
  Then, in the folder that the agent shall work in:
    evie`;
