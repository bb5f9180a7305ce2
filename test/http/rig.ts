import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "../../src/domain/events.ts";
import type { ServerFrame } from "../../src/domain/wire.ts";
import { createApp } from "../../src/http/app.ts";
import { createDoors, type DoorsOptions } from "../../src/http/doors.ts";
import { createDrafts } from "../../src/http/drafts.ts";
import { createGuard } from "../../src/http/guard.ts";
import { createHub, type Hub } from "../../src/http/hub.ts";
import { createKeys } from "../../src/http/keys.ts";
import { type Doors, openPort, type Port } from "../../src/http/port.ts";
import { createReaders } from "../../src/http/readers.ts";
import { createSessions } from "../../src/session/sessions.ts";
import { createStoredPictures } from "../../src/store/pictures.ts";
import { opens, said, says } from "../domain/events.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import { createHandAgents } from "../session/hand-agents.ts";
import { createMemoryLedgers } from "../session/memory-ledgers.ts";

export const PORT = 3843;
export const TOKEN = "a-token-that-is-long-enough-for-a-test";
export const EPOCH = "epoch-1";

/** The HTTP face on sessions with agents that are worked by hand. `using` removes its folder. */
export function createHttpRig({
  clock = createFakeClock(),
  bot,
  largestSum,
}: {
  readonly clock?: ReturnType<typeof createFakeClock>;
  readonly bot?: () => string | undefined;
  readonly largestSum?: number;
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), "evie-http-"));
  const workspace = join(folder, "workspace");
  for (const name of ["workspace", "sessions"]) mkdirSync(join(folder, name));
  const log = createMemoryLog();
  const memory = createMemoryLedgers();
  const { start, started } = createHandAgents();
  const pictures = createStoredPictures(join(folder, "pictures"));
  const sessions = createSessions({
    ledgers: { ...memory.ledgers, pictures },
    folder: join(folder, "sessions"),
    workspace,
    startAgent: start,
    answerAt: (id) => `http://127.0.0.1:${PORT}/s/${id}`,
    clock,
    log,
  });
  const port = { number: PORT };
  const salts = new Map<number, string>();
  const keys = createKeys({
    token: TOKEN,
    ledger: { salts: () => salts, keep: (userId, salt) => void salts.set(userId, salt) },
  });
  /** Who may use evie. */
  const allowed = new Set([7, 8]);
  const guard = createGuard({
    token: TOKEN,
    keys,
    isAllowed: (userId) => allowed.has(userId),
    port: () => port.number,
    names: ["evie.example:8443"],
  });
  const makeDraft = createDrafts({ folder: join(folder, "uploads"), filesFolder: folder, log });
  const readers = createReaders(largestSum);
  const face = { sessions, makeDraft, readers, epoch: EPOCH, version: "0.0.0", clock, log };
  const app = createApp({
    ...face,
    guard,
    pictures,
    page: () => Promise.resolve({ html: "<!doctype html>", js: "js", css: "css", icon: "<svg/>" }),
    health: () => ({ undelivered: 0 }),
  });
  const hub = createHub({ ...face, bot });

  /** A request of somebody who has the token. */
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    await app.request(`http://127.0.0.1:${PORT}${path}`, {
      method,
      headers: {
        host: `127.0.0.1:${PORT}`,
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });

  /** The newest agent, ready, with everything that waited for it done. */
  const agent = async () => {
    await clock.settle();
    const newest = started.at(-1);
    if (newest === undefined) throw new Error("no agent was started");
    newest.getReady();
    await clock.settle();
    return newest;
  };

  return {
    folder,
    workspace,
    clock,
    log,
    memory,
    sessions,
    started,
    guard,
    keys,
    allowed,
    port,
    app,
    hub,
    ask,
    agent,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A whole answer of an agent's. */
export function answers(key: string, text: string): readonly AgentEvent[] {
  return [{ type: "turn_start" }, opens(key), says(key, text), said(key, text), { type: "turn_end" }];
}

/** The HTTP face on a real port. */
export async function openHttp(
  doors: DoorsOptions,
  ports: readonly number[] = [0],
  open = (): Promise<Doors> => Promise.resolve(createDoors(doors)),
): Promise<Port> {
  return await openPort({ address: "127.0.0.1", ports, open, log: doors.log });
}

/** A browser on the hub, without a network. */
export function openBrowser(hub: Hub) {
  const frames: ServerFrame[] = [];
  const texts: string[] = [];
  const state: {
    buffered: number;
    /** Nothing that is sent gets on its way. */
    isStuck: boolean;
    closed: { code: number; reason: string } | undefined;
    terminated: boolean;
  } = { buffered: 0, isStuck: false, closed: undefined, terminated: false };
  let unsent: (() => void)[] = [];
  const connection = hub.connect({
    send(text, sent) {
      texts.push(text);
      frames.push(JSON.parse(text) as ServerFrame);
      if (state.isStuck) {
        state.buffered += Buffer.byteLength(text);
        unsent.push(sent);
      } else sent();
    },
    close(code, reason) {
      state.closed = { code, reason };
    },
    terminate() {
      state.terminated = true;
    },
    get bufferedAmount() {
      return state.buffered;
    },
  });
  return {
    frames,
    texts,
    state,
    says: (frame: object) => connection.receive(JSON.stringify(frame)),
    receive: connection.receive,
    leave: connection.closed,
    /** Everything that was sent until now gets on its way. */
    drain: () => {
      state.buffered = 0;
      const calls = unsent;
      unsent = [];
      for (const call of calls) call();
    },
    types: () => frames.map(({ type }) => type),
    clear: () => void frames.splice(0),
  };
}
