import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Config } from "./config.ts";
import type { Clock } from "./domain/clock.ts";
import type { DiskWatch } from "./domain/disk.ts";
import type { SessionId } from "./domain/ids.ts";
import type { Log } from "./domain/log.ts";
import { baseOf } from "./domain/loopback.ts";
import type { SessionDirectory } from "./domain/sessions.ts";
import type { AppOptions, Page } from "./http/app.ts";
import { createGuard } from "./http/guard.ts";
import { type BrowserKeys, createKeys, type KeyLedger } from "./http/keys.ts";
import { type Doors, openPort } from "./http/port.ts";

export interface WebOptions {
  readonly config: Pick<Config, "httpPorts" | "httpAddress" | "httpNames">;
  readonly token: string;
  /** Where it is kept for whom there is a key. */
  readonly keyLedger: KeyLedger;
  readonly log: Log;
}

/** What the HTTP face shows. */
export interface WebParts extends Pick<AppOptions, "makeDraft" | "pictures" | "health" | "version"> {
  readonly sessions: SessionDirectory;
  /** The bot's name at Telegram, once it is known; absent where no link may lead to it. */
  readonly bot?: () => string | undefined;
  /** Tells whether that person may use evie now. */
  readonly isAllowed: (userId: number) => boolean;
  readonly disk: DiskWatch;
  readonly clock: Clock;
}

export interface Web {
  /** What whoever sits at the machine opens: it carries a key. */
  readonly link: string;
  /** The same without the key. */
  readonly address: string;
  /** The port that was taken in place of the one that is the first choice; undefined when that was free. */
  readonly instead: number | undefined;
  /** What a person opens whom Telegram knows by that id: it carries a key of their own. Throws when that cannot be kept. */
  linkFor(userId: number): string;
  /** Where a session's questions are answered. */
  answerAt(id: SessionId): string;
  /** Lets in those who come. Until then they wait. */
  show(parts: WebParts): void;
  close(): Promise<void>;
}

/**
 * Takes the port of the HTTP API and the deck. What answers there is loaded when somebody comes, so that it delays no
 * start and costs no memory before. Rejects with a ListenError.
 */
export async function openWeb({ config, token, keyLedger, log }: WebOptions): Promise<Web> {
  const { httpPorts, httpAddress: address, httpNames } = config;
  const keys = createKeys({ token, ledger: keyLedger });
  const shown = Promise.withResolvers<WebParts>();
  const open = async (): Promise<Doors> =>
    await loadDoors(await shown.promise, { token, keys, log, names: httpNames, port: port.number });
  const port = await openPort({ address, ports: httpPorts, open, log });

  const name = httpNames[0] ?? (address === "::1" ? "[::1]" : "127.0.0.1");
  const base = baseOf(httpNames[0]?.includes(":") === true ? name : `${name}:${port.number}`);
  // Behind the #: a browser sends that to nobody, so no proxy and no preview of a link sees it.
  const linkWith = (key: string): string => `${base}/#key=${key}`;
  return {
    link: linkWith(keys.machine),
    linkFor: (userId) => linkWith(keys.keyOf(userId)),
    address: `${base}/`,
    instead: port.number === httpPorts[0] ? undefined : port.number,
    answerAt: (id) => `${base}/s/${id}`,
    show: shown.resolve,
    close: () => port.close(),
  };
}

interface Frame {
  readonly token: string;
  readonly keys: BrowserKeys;
  readonly log: Log;
  readonly names: readonly string[];
  readonly port: number;
}

async function loadDoors(parts: WebParts, { token, keys, log, names, port }: Frame): Promise<Doors> {
  const [{ createApp }, { createHub }, { createDoors }, { createReaders }] = await Promise.all([
    import("./http/app.ts"),
    import("./http/hub.ts"),
    import("./http/doors.ts"),
    import("./http/readers.ts"),
  ]);
  const { sessions, makeDraft, isAllowed, disk, clock, version } = parts;
  const guard = createGuard({ token, keys, isAllowed, port: () => port, names });
  const readers = createReaders();
  const epoch = crypto.randomUUID();
  const app = createApp({ ...parts, guard, readers, page: once(loadDeck), epoch, log });
  const hub = createHub({ sessions, makeDraft, readers, epoch, version, bot: parts.bot, disk, clock, log });
  return createDoors({ app, hub, guard, log });
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
