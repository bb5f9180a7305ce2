import { readFileSync, rmSync } from "node:fs";
import { homedir, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { agentEnvironment } from "./agent/environment.ts";
import { type AgentCommand, findAgent } from "./agent/find-agent.ts";
import { createPiAgent } from "./agent/pi/driver.ts";
import { createClaimBoard } from "./claim-board.ts";
import { type Command, EXIT_CONFIG, EXIT_USAGE, helpText, parseCommandLine } from "./cli.ts";
import { realClock } from "./clock.ts";
import { setUpConnections } from "./connections.ts";
import { agentsForMemory } from "./config/agents-for-memory.ts";
import { type Config, configProblemWords, homeFolder, readConfig } from "./config.ts";
import type { Surroundings } from "./config/fields.ts";
import {
  type Home,
  HomeError,
  HomeTakenError,
  isFolder,
  prepareHome,
  readEnvFile,
  takeHome,
} from "./home.ts";
import { refusedBySystem } from "./home/home-error.ts";
import { inspectHome } from "./home/inspect-home.ts";
import { deckInvitation } from "./invitations.ts";
import { diskTroubleOf } from "./domain/disk.ts";
import type { Log } from "./domain/log.ts";
import { createDiskWatch, isDiskFull, tryDisk, withoutRepeats } from "./disk-watch.ts";
import { findLeftovers } from "./leftovers.ts";
import { createLog } from "./log.ts";
import { createDrafts } from "./http/drafts.ts";
import { ListenError } from "./http/port.ts";
import { keepToken } from "./http/token.ts";
import type { RunOptions } from "./play.ts";
import { warnAsProcessOne } from "./process-one.ts";
import { serve } from "./serve.ts";
import { createSessions } from "./session/sessions.ts";
import { StoreError } from "./store/open-database.ts";
import type { StoredOwner } from "./store/owner.ts";
import { createStoredPictures } from "./store/pictures.ts";
import { openStore } from "./store/store.ts";
import { KEEP_DAYS, sweepDaily } from "./sweep.ts";
import { createTelegram } from "./telegram/bot.ts";
import { openWeb } from "./web.ts";
import { unclaim } from "./unclaim.ts";
import { createCollect, giveMemoryBack, keepYoungGenerationSmall, processorTime } from "./memory.ts";

const EXIT_FAILURE = 1;

// Nobody may read what evie writes any more: whoever did has gone, or their terminal.
for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
// Not by itself: an agent that will not go must not keep evie from its end.
process.exit(await main(process.argv.slice(2)));

/** Does what the command line asks for and gives the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  keepYoungGenerationSmall();
  const command = parseCommandLine(argv);
  switch (command.type) {
    case "wrong":
      console.error(command.message);
      return EXIT_USAGE;
    case "help":
      console.log(helpText);
      return 0;
    case "version":
      console.log(version());
      return 0;
    default:
      return await start(command);
  }
}

type Doing = Exclude<Command, { type: "wrong" | "help" | "version" }>;

async function start(command: Doing): Promise<number> {
  try {
    if (command.type === "check") {
      const { check } = await import("./check.ts");
      return await check(surroundings(), (line) => console.log(line));
    }
    if (command.type === "unclaim") {
      console.log(unclaim(homeFolder(process.env, surroundings())));
      return 0;
    }
    const config = configuration();
    if (config === undefined) return EXIT_CONFIG;
    if (command.type === "playground" || (command.type === "start" && config.telegram === undefined)) {
      // Loaded when it is asked for: the bot has no use for a chat page.
      const { play } = await import("./play.ts");
      return await play({ config, wishes: command, openHome, run });
    }
    if (config.telegram === undefined) {
      console.error(
        "evie: TELEGRAM_BOT_TOKEN is missing. Get a token from @BotFather and set it (evie --help tells how), or try evie without one: evie playground.",
      );
      return EXIT_CONFIG;
    }
    return await run(config, openHome(config.home));
  } catch (error) {
    if (
      error instanceof HomeError ||
      error instanceof HomeTakenError ||
      error instanceof StoreError ||
      error instanceof ListenError
    ) {
      console.error(`evie: ${error.message}`);
      // A disk that is full today may have room at the next start.
      return error instanceof HomeError && diskTroubleOf(error) === undefined ? EXIT_CONFIG : EXIT_FAILURE;
    }
    if (diskTroubleOf(error) !== undefined) {
      console.error(`evie: ${refusedBySystem(homeFolder(process.env, surroundings()), error).message}`);
      return EXIT_FAILURE;
    }
    throw error;
  }
}

/** Whether the bot waits for an owner. Where it had one whom nobody knows, a person at the machine has to say so first. */
function isClaimable(allowed: readonly number[], owner: StoredOwner, log: Log): boolean {
  if (allowed.length > 0) return false;
  if (owner.isUnknown)
    log.error(
      {},
      "The database was damaged, and with it went who owns the bot. So nobody can claim it: end evie, run “evie unclaim” and start it again",
    );
  return !owner.isUnknown;
}

/** Makes the home and takes it for this process, until it ends. */
function openHome(folder: string): Home {
  const home = prepareHome(folder);
  process.once("exit", takeHome(folder));
  return home;
}

/** The configuration; undefined, with everything that is wrong on stderr, when there is none. Throws a HomeError. */
function configuration(): Config | undefined {
  const around = surroundings();
  const folder = homeFolder(process.env, around);
  // What lies in somebody else's folder is not for evie, nor the settings there.
  inspectHome(folder);
  const envFile = readEnvFile(folder);
  const { config, problems, warnings } = readConfig(process.env, { ...around, envFile, isFolder });
  for (const warning of warnings) console.error(`evie: ${warning}`);
  if (problems !== undefined) console.error(configProblemWords(problems));
  return config;
}

function surroundings(): Surroundings {
  return { cwd: process.cwd(), homedir: homedir() };
}

/** Makes every part and joins them. All state of the program is made here. */
async function run(config: Config, home: Home, options: RunOptions = {}): Promise<number> {
  const { watch, announceDeck, isPlayground = false } = options;
  const { telegram, home: folder, workspace, agentCommand, keepDays = KEEP_DAYS, logLevel, env } = config;
  if (telegram === undefined) return EXIT_CONFIG;
  const clock = realClock;
  const token = telegram.token.reveal();
  const httpToken = tokenOf(config);
  const secrets = httpToken === undefined ? [token] : [token, httpToken];
  const plainLog = await createLog({ level: logLevel, secrets });
  const ended = new AbortController();
  const disk = createDiskWatch({
    where: `EVIE_HOME (${folder})`,
    tryDisk: () => tryDisk(folder),
    isFull: () => isDiskFull(folder),
    clock,
    log: plainLog,
    stopped: ended.signal,
  });
  const log = withoutRepeats(plainLog, disk);
  warnAsProcessOne(process.pid, log);
  await setUpConnections({ env, apiRoot: telegram.apiRoot, log });
  const { store, setAside } = openStore(home.database, clock);
  const owner = store.owner.owner();
  store.deckKeys.endOthers(new Set([...telegram.allowedUsers, ...(owner === undefined ? [] : [owner])]));
  // Before the home is let go of: then the store may be another's.
  process.prependOnceListener("exit", () => store.close());
  if (setAside !== undefined)
    log.error({ file: setAside }, "the database was damaged; it was set aside and a new one begun");

  // At each start of an agent: one that is installed later, or moved, is found without a restart.
  const find = (): AgentCommand | undefined => findAgent({ configured: agentCommand, path: env["PATH"] });
  const command = find();
  if (command === undefined) log.error({}, "no agent was found. Install pi, or set EVIE_AGENT_COMMAND");
  const maxAgents = config.maxAgents ?? agentsForMemory(totalmem(), process.constrainedMemory());
  const picturesFolder = join(folder, "pictures");
  const pictures = createStoredPictures(picturesFolder);
  const web =
    httpToken === undefined
      ? undefined
      : await openWeb({ config, token: httpToken, keyLedger: store.deckKeys, log });
  const sessions = createSessions({
    ledgers: {
      ...store,
      pictures,
      chatOf: (session) => store.chats.chatOf(session),
    },
    folder: home.sessions,
    workspace,
    maxAgents,
    startAgent: createPiAgent({ clock, log, find, env: agentEnvironment(env, secrets) }),
    ...(web === undefined ? {} : { answerAt: web.answerAt }),
    clock,
    log,
  });
  const uploads = join(folder, "uploads");
  // Pictures of turns that are over, or that have theirs in the store.
  rmSync(uploads, { recursive: true, force: true });
  const draftFiles = new Set<string>();
  const makeDraft = createDrafts({ folder: uploads, filesFolder: home.files, inUse: draftFiles, log });
  const leftovers = findLeftovers({ store, folder: home.sessions, sessions, makeDraft, clock, log });
  const bot = createTelegram({
    token,
    apiRoot: telegram.apiRoot,
    allowedUsers: new Set(telegram.allowedUsers),
    owners: store.owner,
    isClaimable: isClaimable(telegram.allowedUsers, store.owner, log),
    claimBoard: createClaimBoard({
      folder,
      // What is written elsewhere may be kept in a journal, which more people read.
      print: process.stdout.isTTY ? (text) => console.log(text) : undefined,
      log,
    }),
    filesFolder: home.files,
    sessions: watch?.(sessions) ?? sessions,
    ...(web === undefined ? {} : { deckLink: web.linkFor }),
    pointers: store.chats,
    updates: { ...store.updates, together: store.together },
    disk,
    turns: { ...store.turns, ...store.bubbles },
    leftovers: () => leftovers.forChats(),
    clock,
    log,
    random: Math.random,
  });

  process.on("uncaughtException", (error) => {
    log.error({ err: error }, "evie stopped by a fault of its own");
    process.exit(EXIT_FAILURE);
  });
  log.info(
    {
      version: version(),
      agent: command === undefined ? "none" : [command.file, ...command.args].join(" "),
      maxAgents,
      workspace,
      home: folder,
      users: telegram.allowedUsers,
      owner: owner ?? "none",
    },
    "evie starts",
  );
  const sweeping = sweepDaily(
    {
      old: store.old,
      sessions: {
        removeUnused: (before, stopped) =>
          sessions.removeUnused(before, { ...store.old, unpoint: store.chats.unpoint }, stopped),
        isKnown: (id) => store.sessions.get(id) !== undefined,
      },
      folders: { ...home, pictures: picturesFolder, uploads },
      needsSetAside: () => store.owner.isUnknown,
      filesInUse: () => new Set([...bot.filesInUse(), ...draftFiles]),
      keepDays,
      lastRan: store.updates.polled()?.until,
      clock,
      log,
    },
    ended.signal,
  );
  const givingBack = giveMemoryBack({
    used: processorTime,
    collect: createCollect(),
    clock,
    ended: ended.signal,
  });
  try {
    const goingOn = leftovers.goOn(ended.signal).then(() =>
      web?.show({
        sessions,
        makeDraft,
        pictures,
        health: () => bot.health(),
        version: version(),
        disk,
        ...(isPlayground ? {} : { bot: () => bot.username }),
        isAllowed: (userId) => bot.isAllowed(userId),
        clock,
      }),
    );
    goingOn.catch((error: unknown) =>
      log.error({ err: error }, "what was left at the last end is not known"),
    );
    if (web !== undefined) {
      // Not into the log: it is kept, and read by more people.
      if (announceDeck === undefined) console.log(deckInvitation(web));
      else announceDeck(web);
    }
    return await serve({ bot, sessions, clock, log });
  } finally {
    await web?.close();
    ended.abort();
    await Promise.all([sweeping, givingBack]);
  }
}

/** What lets people in at the HTTP face; undefined when that is off. */
function tokenOf({ httpPorts, httpToken, home }: Config): string | undefined {
  if (httpPorts.length === 0) return undefined;
  return httpToken?.reveal() ?? keepToken(join(home, "http-token"));
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
