import { join } from "node:path";
import { agentEnvironment } from "./agent/environment.ts";
import { findAgent } from "./agent/find-agent.ts";
import { probeModel } from "./agent/pi/probe.ts";
import type { PlaygroundWishes } from "./cli.ts";
import { realClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { portsFrom } from "./config/fields.ts";
import { Secret } from "./config/secret.ts";
import type { Sessions } from "./domain/sessions.ts";
import { type Home, HomeError } from "./home.ts";
import { loadPage } from "./playground/load-page.ts";
import { type Playground, startPlayground } from "./playground/playground.ts";
import { DEFAULT_PORT, PortTakenError } from "./playground/server/listen.ts";
import { watchSessions } from "./playground/watch-sessions.ts";
import { prepareWorkspace } from "./playground/workspace.ts";
import { DEBOUNCE_WINDOW } from "./telegram/timing.ts";
import type { Web } from "./web.ts";

const EXIT_FAILURE = 1;

/** Who looks at what evie does, when it is not run for itself. */
export interface RunOptions {
  /** Looks into the sessions of the chats. */
  readonly watch?: (sessions: Sessions) => Sessions;
  /** Tells the person where the deck is. */
  readonly announceDeck?: (deck: Pick<Web, "link">) => void;
  /** The bot is none of Telegram's, so that no link leads to it. */
  readonly isPlayground?: boolean;
}

export interface PlayOptions {
  /** The person's own; a bot in it is not touched. */
  readonly config: Config;
  readonly wishes: PlaygroundWishes;
  readonly openHome: (folder: string) => Home;
  /** Runs evie: the same as for the real bot. */
  readonly run: (config: Config, home: Home, options: RunOptions) => Promise<number>;
}

/** The playground: a Telegram of its own with a page to chat on, and evie on it. Gives the exit code. */
export async function play({ config, wishes, openHome, run }: PlayOptions): Promise<number> {
  const folder = join(config.home, "playground");
  const home = openHome(folder);
  const workspace = join(folder, "workspace");
  try {
    prepareWorkspace(workspace);
  } catch (error) {
    throw new HomeError(
      folder,
      `${workspace} cannot be written (${String(error)}). Make it a folder of your own, or set EVIE_HOME to another one.`,
      error,
    );
  }

  let playground: Playground;
  try {
    playground = await startPlayground({
      folder,
      workspace,
      model: wishes.standIn === true ? undefined : await ownModel(config, workspace),
      port: wishes.port,
      page: await loadPage(),
      windowMs: DEBOUNCE_WINDOW,
      clock: realClock,
    });
  } catch (error) {
    if (!(error instanceof PortTakenError)) throw error;
    console.error(`evie: ${error.message}`);
    return EXIT_FAILURE;
  }

  try {
    console.log(invitation(playground, wishes.port));
    const { token, apiRoot, userId } = playground.telegram;
    // A token and names that others use are not for this evie.
    const { httpToken: _, ...own } = config;
    return await run(
      {
        ...own,
        telegram: { token: new Secret(token), apiRoot, allowedUsers: [userId] },
        home: folder,
        workspace,
        // The person's own evie may run beside it.
        httpPorts: config.httpPorts.length === 0 ? [] : portsFrom(playground.port + 1),
        httpAddress: "127.0.0.1",
        httpNames: [],
        // Lines about each message would bury the link.
        logLevel: config.env["LOG_LEVEL"] === undefined ? "warn" : config.logLevel,
        env: { ...config.env, ...playground.agentEnv },
      },
      home,
      {
        watch: (sessions) => watchSessions(sessions, playground.watch),
        announceDeck: ({ link: deck }) => playground.leadToDeck(deck),
        isPlayground: true,
      },
    );
  } finally {
    await playground.close();
  }
}

/** The model that the person's own agent would ask, if it has one. */
async function ownModel({ agentCommand, env }: Config, cwd: string): Promise<string | undefined> {
  const command = findAgent({ configured: agentCommand, path: env["PATH"] });
  if (command === undefined) return undefined;
  return await probeModel({ command, cwd, env: agentEnvironment(env, []), clock: realClock });
}

function invitation({ port, link, answeredBy }: Playground, asked: number | undefined): string {
  const moved = asked === undefined && port !== DEFAULT_PORT;
  return [
    ...(moved ? [`Port ${DEFAULT_PORT} is taken, so this is port ${port}.`] : []),
    "evie's playground is ready. Open this link in a browser on this machine:",
    "",
    `  ${link}`,
    "",
    answeredBy.kind === "model"
      ? `The agent asks your own model, ${answeredBy.name}; with --stand-in it asks none.`
      : "No model is set up for the agent, so a stand-in answers by rule. Write help to see what it can do.",
    "Try: paste a text of several pages, send three pictures at once, or write again while it answers.",
    "Ctrl-C ends it.",
  ].join("\n");
}
