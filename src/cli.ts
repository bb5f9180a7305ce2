import { parseArgs } from "node:util";

/** What the person asked for on the command line. */
export type Command =
  /** The bot. */
  | { readonly type: "run" }
  /** The bot when there is a token, else the playground. */
  | ({ readonly type: "start" } & PlaygroundWishes)
  | ({ readonly type: "playground" } & PlaygroundWishes)
  /** Looks whether everything is as the bot needs it. */
  | { readonly type: "check" }
  /** Takes the bot back from whoever claimed it. */
  | { readonly type: "unclaim" }
  | { readonly type: "help" }
  | { readonly type: "version" }
  /** Not understood: one line for stderr, and exit code `EXIT_USAGE`. */
  | { readonly type: "wrong"; readonly message: string };

export interface PlaygroundWishes {
  /** The port of its page; without one, evie looks for a free one. */
  readonly port?: number;
  /** True: no model is asked, even if the agent has one. */
  readonly standIn?: boolean;
}

/** `EX_USAGE` and `EX_CONFIG` of sysexits.h: a service manager need not try again. */
export const EXIT_USAGE = 64;
export const EXIT_CONFIG = 78;

const COMMANDS = ["start", "playground", "check", "unclaim"] as const;

/** Reads the words behind `evie` (without node and the script). Never throws. */
export function parseCommandLine(argv: readonly string[]): Command {
  const { tokens } = parseArgs({
    args: [...argv],
    options: {
      help: { type: "boolean", short: "h" },
      version: { type: "boolean", short: "V" },
      port: { type: "string" },
      "stand-in": { type: "boolean" },
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  let asked: "help" | "version" | undefined;
  let command: "run" | (typeof COMMANDS)[number] = "run";
  let wishes: PlaygroundWishes = {};
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional") {
      const named = COMMANDS.find((name) => name === token.value);
      if (command !== "run" || named === undefined) return wrong(`the command "${token.value}" is unknown`);
      command = named;
      continue;
    }
    switch (token.name) {
      case "port": {
        const port = readPort(token.value);
        if (port === undefined) return wrong(`${token.rawName} takes a number from 1 to 65535`);
        wishes = { ...wishes, port };
        continue;
      }
      case "help":
      case "version":
      case "stand-in":
        break;
      default:
        return wrong(`the option ${token.rawName} is unknown`);
    }
    if (token.value !== undefined) return wrong(`the option ${token.rawName} takes no value`);
    if (token.name === "stand-in") wishes = { ...wishes, standIn: true };
    else if (asked !== "help") asked = token.name;
  }
  if (asked !== undefined) return { type: asked };
  if (command === "start" || command === "playground") return { type: command, ...wishes };
  if (wishes.port !== undefined || wishes.standIn === true)
    return wrong("--port and --stand-in belong to the playground");
  return { type: command };
}

function readPort(text: string | undefined): number | undefined {
  const port = /^\d{1,5}$/.test(text ?? "") ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

function wrong(what: string): Command {
  return { type: "wrong", message: `evie: ${what}; evie --help lists what there is.` };
}

/** What `evie --help` prints, at most 80 columns wide, without a newline at its end. */
export const helpText = `evie: talk to the coding agent on your own machine from wherever you are.

Usage
  evie                  the bot, until it is ended with Ctrl-C
  evie playground       a chat in your browser: no bot, no account, no key
    --port N            the page's port                           (3844)
    --stand-in          ask no model, answer by rule
  evie start            the bot when there is a token, else the playground
  evie check            look whether all is well, and say what to do if not
  evie unclaim          take the bot back from whoever opened its claim link
  evie --help           show this
  evie --version        show the version

Environment                                                       (default)
  TELEGRAM_BOT_TOKEN    the token of your bot, from @BotFather
  EVIE_ALLOWED_USERS    numeric ids of who may use it: 12345,67890;
                        with none, evie prints a link, and who opens
                        it on Telegram first is the owner
  EVIE_WORKSPACE        the folder the agent works in             (this one)
  EVIE_HOME             where evie keeps its state                (~/.evie)
  EVIE_AGENT_COMMAND    how the agent is started                  (pi)
  EVIE_MAX_AGENTS       how many agents run at once; whoever needs
                        one more waits       (one per 512 MB, 2 to 32)
  EVIE_KEEP_DAYS        for how many days evie keeps sessions that
                        nobody uses, 0 for ever                   (90)
  TELEGRAM_API_ROOT     another Bot API server                    (Telegram's)
  EVIE_HTTP_PORT        the port of the HTTP API and of the deck,
                        0 for none           (3843, or a free one near it)
  EVIE_HTTP_ADDRESS     the address it listens on                 (127.0.0.1)
  EVIE_HTTP_TOKEN       who knows it is let in            (evie makes one)
  EVIE_HTTP_NAMES       names it is reached by, beside localhost;
                        one with :443 by HTTPS
  LOG_LEVEL             trace, debug, info, warn, error, silent   (info)
  HTTPS_PROXY, ALL_PROXY, NO_PROXY
                        the way to Telegram, as for curl

State
  Everything evie keeps lies in EVIE_HOME, a folder for evie alone: one that
  holds anything else is refused. A file .env there may hold the variables
  above, one NAME=value a line; the environment wins over it.

Example
  The file ~/.evie/.env:
    TELEGRAM_BOT_TOKEN=123456789:AA...
  Then, in the folder that the agent shall work in:
    evie`;
