import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Clock } from "./domain/clock.ts";
import type { SessionId } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import type { SessionDirectory } from "./domain/sessions.ts";
import { type AppOptions, createApp, type Page } from "./http/app.ts";
import { createDrafts } from "./http/drafts.ts";
import { createGuard } from "./http/guard.ts";
import { createHub } from "./http/hub.ts";
import { listen } from "./http/listen.ts";

type HttpConfig = Pick<Config, "httpPort" | "httpAddress" | "httpNames">;

export interface WebOptions extends Pick<AppOptions, "pictures" | "health" | "version"> {
  readonly config: HttpConfig;
  readonly token: string;
  readonly home: string;
  readonly sessions: SessionDirectory;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Web {
  /** What a person opens: it carries the token. */
  readonly link: string;
  close(): Promise<void>;
}

/** Where a session's questions are answered; undefined when the HTTP face is off. */
export function answerAt(config: HttpConfig): ((id: SessionId) => string) | undefined {
  return config.httpPort === 0 ? undefined : (id) => `${addressOf(config)}/s/${id}`;
}

/** The HTTP API and the deck, listening. Rejects with a ListenError. */
export async function startWeb({ config, token, home, sessions, ...options }: WebOptions): Promise<Web> {
  const { clock, log, version } = options;
  const { httpPort, httpAddress: address, httpNames: names } = config;
  const guard = createGuard({ token, port: () => httpPort, names });
  const makeDraft = createDrafts({ folder: join(home, "uploads"), log });
  const epoch = crypto.randomUUID();
  const app = createApp({ ...options, sessions, guard, makeDraft, page: once(loadDeck), epoch });
  const hub = createHub({ sessions, makeDraft, epoch, version, clock, log });
  const { close } = await listen({ app, hub, guard, address, port: httpPort, log });
  return { link: `${addressOf(config)}/?key=${token}`, close };
}

function addressOf({ httpPort, httpNames }: HttpConfig): string {
  return `http://${httpNames[0] ?? "127.0.0.1"}${httpNames[0]?.includes(":") === true ? "" : `:${httpPort}`}`;
}

/** Where a package has the deck, built. In the source there is none. */
const BUILT = new URL("deck.json", import.meta.url);

/** The deck: as the package brings it, else built now. */
async function loadDeck(): Promise<Page> {
  if (existsSync(BUILT)) return JSON.parse(await readFile(BUILT, "utf8")) as Page;
  const { buildDeck } = await import("./deck/build.ts");
  return await buildDeck();
}

/** The same promise for everybody; another one once it failed. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}
