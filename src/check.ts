import { mkdtempSync, rmdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { styleText } from "node:util";
import { agentEnvironment } from "./agent/environment.ts";
import { findAgent } from "./agent/find-agent.ts";
import { probeAgent } from "./agent/pi/probe.ts";
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
import { HomeError, HomeTakenError, isFolder, prepareHome, readEnvFile, takeHome } from "./home.ts";
import { redactor } from "./log/redact.ts";
import { checkDatabase } from "./store/check-database.ts";
import { probeBot } from "./telegram/probe.ts";

const EXIT_FAILURE = 1;

/**
 * Looks at everything that the bot needs, and prints one line for each: that it is well, or what to do. Gives the exit
 * code, 0 when all is well, within half a minute. It may be run while evie runs.
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
    const envFile = readEnvFile(folder);
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

async function lookAtAgent(config: Config | undefined): Promise<readonly Finding[]> {
  if (config === undefined) return [unknown("agent", SETTINGS_FIRST)];
  const { agentCommand, workspace, env } = config;
  const command = findAgent({ configured: agentCommand, path: env["PATH"] });
  if (command === undefined) return [agentFinding(undefined, undefined)];
  const probed = await probeAgent({
    command,
    cwd: workspace,
    env: agentEnvironment(env, secretsOf(config)),
    clock: realClock,
  });
  return [agentFinding([command.file, ...command.args].join(" "), probed)];
}

function secretsOf(config: Config | undefined): readonly string[] {
  return [config?.telegram?.token, config?.httpToken].flatMap((secret) => secret?.reveal() ?? []);
}

/** By writing: a look at the mode would tell root, and on a disk that was mounted for reading, something else. */
function lookAtWorkspace(config: Config | undefined): Finding {
  if (config === undefined) return unknown("workspace", SETTINGS_FIRST);
  const { workspace } = config;
  try {
    rmdirSync(mkdtempSync(join(workspace, ".evie-check-")));
    return ok("workspace", `${workspace} can be written.`);
  } catch (error) {
    return problem(
      "workspace",
      `${workspace} cannot be written (${codeOf(error)}). Give it to the user evie runs as, or set EVIE_WORKSPACE to another folder.`,
    );
  }
}

function lookAtHome(folder: string, config: Config | undefined): readonly Finding[] {
  try {
    const { database } = prepareHome(folder);
    const store = checkDatabase(database);
    const { bavail, bsize } = statfsSync(folder);
    const owner = store.type === "sound" ? store.owner : undefined;
    return [
      lookAtLock(folder),
      storeFinding(database, store),
      ...(config?.telegram === undefined ? [] : [peopleFinding(config.telegram.allowedUsers, owner)]),
      diskFinding(folder, bavail * bsize),
    ];
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    return [problem("home", error.message)];
  }
}

/** That an evie runs there is no fault. */
function lookAtLock(folder: string): Finding {
  try {
    takeHome(folder)();
    return ok("home", `${folder} is evie's own, and no evie runs on it.`);
  } catch (error) {
    if (error instanceof HomeTakenError)
      return ok(
        "home",
        `${folder} is evie's own, and an evie runs on it (process ${error.pid ?? "unknown"}).`,
      );
    throw error;
  }
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : String(error);
}
