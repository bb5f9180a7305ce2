import { statfsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { styleText } from "node:util";
import { agentEnvironment } from "./agent/environment.ts";
import { findAgent } from "./agent/find-agent.ts";
import { borrowSettings, type BorrowedSettings } from "./agent/pi/borrowed-settings.ts";
import { probeAgent } from "./agent/pi/probe.ts";
import { nearestFolder, whyNotWritable } from "./check/writable.ts";
import { type Finding, findingLine, ok, type Paint, problem, summaryLine, unknown } from "./check/finding.ts";
import {
  agentFinding,
  botFinding,
  clockFinding,
  diskFinding,
  peopleFinding,
  storeFinding,
  webhookFinding,
} from "./check/findings.ts";
import { realClock } from "./clock.ts";
import { setUpConnections } from "./connections.ts";
import { type Config, homeFolder, readConfig } from "./config.ts";
import type { Surroundings } from "./config/fields.ts";
import { HomeError, isFolder, readEnvFile, whoTook } from "./home.ts";
import { refusedBySystem } from "./home/home-error.ts";
import { inspectHome } from "./home/inspect-home.ts";
import { redactor } from "./log/redact.ts";
import { checkDatabase } from "./store/check-database.ts";
import { probeBot } from "./telegram/probe.ts";

const EXIT_FAILURE = 1;

/**
 * Looks at everything that the bot needs, and prints one line for each: that it is well, or what to do. Gives the exit
 * code, 0 when all is well, within half a minute. It may be run while evie runs, and changes nothing: what it needs for
 * itself is in the system's folder for temporary files until it ends.
 */
export async function check(surroundings: Surroundings, print: (line: string) => void): Promise<number> {
  const folder = homeFolder(process.env, surroundings);
  const { config, findings: settings } = lookAtSettings(folder, surroundings);
  // All at once: what has to be waited for is waited for together.
  const bot = lookAtBot(config, folder);
  const agent = lookAtAgent(config);
  const home = lookAtHome(folder, config);

  const redact = redactor(secretsOf(config));
  const found: Finding[] = [];
  for (const each of [settings, bot, agent, [lookAtWorkspace(config), ...home]]) {
    for (const finding of await each) {
      found.push(finding);
      // A server may send back whatever it was sent.
      print(redact(findingLine(finding, paint)));
    }
  }
  print(`\n${summaryLine(found)}`);
  return found.some(({ state }) => state === "problem") ? EXIT_FAILURE : 0;
}

/** Colours only on a terminal, and only where NO_COLOR does not forbid them. */
const paint: Paint = (colour, text) => styleText(colour, text, { stream: process.stdout });

const SETTINGS_FIRST = "Not looked at: the settings come first.";

function lookAtSettings(
  folder: string,
  surroundings: Surroundings,
): { readonly config?: Config; readonly findings: readonly Finding[] } {
  try {
    const envFile = isForEvie(folder) ? readEnvFile(folder) : undefined;
    const { config, problems, warnings } = readConfig(process.env, { ...surroundings, envFile, isFolder });
    const remarks = warnings.map((warning) => unknown("settings", warning));
    if (problems !== undefined) {
      const wrong = problems.map(({ variable, message }) => problem("settings", `${variable}: ${message}`));
      return { findings: [...wrong, ...remarks] };
    }
    const file = envFile === undefined ? "" : ` and ${join(folder, ".env")}`;
    return { config, findings: [ok("settings", `From the environment${file}.`), ...remarks] };
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    return { findings: [problem("settings", error.message)] };
  }
}

/** What lies in a folder that is not evie's are not its settings. What is wrong with it, its own line says. */
function isForEvie(folder: string): boolean {
  try {
    inspectHome(folder);
    return true;
  } catch (error) {
    if (error instanceof HomeError) return false;
    throw error;
  }
}

async function lookAtBot(config: Config | undefined, folder: string): Promise<readonly Finding[]> {
  if (config === undefined) return [unknown("bot", SETTINGS_FIRST)];
  if (config.telegram === undefined)
    return [
      problem(
        "bot",
        `There is no token. Get one from @BotFather, and write TELEGRAM_BOT_TOKEN=<the token> into ${join(folder, ".env")}.`,
      ),
    ];
  const { token, apiRoot } = config.telegram;
  const proxy: Finding[] = [];
  const wrong = (_fields: unknown, message: string): number => proxy.push(problem("proxy", message));
  const well = (_fields: unknown, message: string): number => proxy.push(ok("proxy", `${message}.`));
  await setUpConnections({
    env: config.env,
    apiRoot,
    log: { debug: well, info: well, warn: wrong, error: wrong },
  });
  const bot = await probeBot({ token: token.reveal(), apiRoot, clock: realClock });
  return [...proxy, botFinding(bot), webhookFinding(bot), clockFinding(bot)];
}

/** Starts the agent on a copy of its settings: pi writes at each start. */
async function lookAtAgent(config: Config | undefined): Promise<readonly Finding[]> {
  if (config === undefined) return [unknown("agent", SETTINGS_FIRST)];
  const { agentCommand, workspace, env } = config;
  const command = findAgent({ configured: agentCommand, path: env["PATH"] });
  if (command === undefined) return [agentFinding(undefined, undefined)];
  let borrowed: BorrowedSettings;
  try {
    borrowed = borrowSettings(agentEnvironment(env, secretsOf(config)), realClock);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [problem("agent", `Not looked at: ${reason}. Make room for temporary files.`)];
  }
  process.once("exit", borrowed.remove);
  const ended = (): void => process.exit(EXIT_FAILURE);
  process.once("SIGINT", ended).once("SIGTERM", ended);
  try {
    const probed = await probeAgent({ command, cwd: workspace, env: borrowed.env, clock: realClock });
    return [agentFinding([command.file, ...command.args].join(" "), probed)];
  } finally {
    process.off("SIGINT", ended).off("SIGTERM", ended);
    borrowed.remove();
  }
}

function secretsOf(config: Config | undefined): readonly string[] {
  return [config?.telegram?.token, config?.httpToken].flatMap((secret) => secret?.reveal() ?? []);
}

function lookAtWorkspace(config: Config | undefined): Finding {
  if (config === undefined) return unknown("workspace", SETTINGS_FIRST);
  const { workspace } = config;
  const obstacle = whyNotWritable(workspace);
  if (obstacle === undefined) return ok("workspace", `${workspace} can be written.`);
  return problem(
    "workspace",
    `${workspace} cannot be written (${obstacle.code}). Give it to the user evie runs as, or set EVIE_WORKSPACE to another folder.`,
  );
}

function lookAtHome(folder: string, config: Config | undefined): readonly Finding[] {
  try {
    const people = (owner: number | undefined): readonly Finding[] =>
      config?.telegram === undefined ? [] : [peopleFinding(config.telegram.allowedUsers, owner)];
    const state = inspectHome(folder);
    const place = state === "missing" ? nearestFolder(folder) : folder;
    const obstacle = whyNotWritable(place);
    if (obstacle !== undefined) throw refusedBySystem(folder, obstacle.cause);
    const { bavail, bsize } = statfsSync(place);
    const disk = diskFinding(folder, bavail * bsize);
    if (state !== "evie's") {
      const words = state === "missing" ? "is not there yet" : "is empty";
      const home = ok("home", `${folder} ${words}; the first start makes it evie's own.`);
      return [home, storeFinding("", { type: "new" }), ...people(undefined), disk];
    }
    const database = join(folder, "evie.db");
    const store = checkDatabase(database);
    const owner = store.type === "sound" ? store.owner : undefined;
    return [lookAtLock(folder), storeFinding(database, store), ...people(owner), disk];
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    return [problem("home", error.message)];
  }
}

/** That an evie runs there is no fault. */
function lookAtLock(folder: string): Finding {
  const { taken, pid } = whoTook(folder);
  const who = taken ? `an evie runs on it (process ${pid ?? "unknown"})` : "no evie runs on it";
  return ok("home", `${folder} is evie's own, and ${who}.`);
}
