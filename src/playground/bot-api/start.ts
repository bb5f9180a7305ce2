import { randomBytes, randomInt } from "node:crypto";
import { isOwnRequest, targetOf } from "../../domain/loopback.ts";
import { EVERYBODY } from "./about.ts";
import { answerCall, sendError } from "./answering.ts";
import type { Desk } from "./answering.ts";
import type { BotApi, BotApiOptions } from "./bot-api.ts";
import { createCallLog } from "./call-log.ts";
import { createClient, makePrivateChat, makeUser } from "./client.ts";
import { answerDownload } from "./downloads.ts";
import { ApiError } from "./errors.ts";
import { createFaultPlan } from "./faults.ts";
import { createFlood } from "./flood.ts";
import { createChannel, createGroup } from "./groups.ts";
import { createListener } from "./listener.ts";
import { createWatch } from "./watch.ts";
import { createWorld } from "./world.ts";

/** The ids of updates are large at Telegram; nothing may take them for small. */
const FIRST_UPDATE_ID = 700_000_001;
const SPACING_MS = 3;
const LOOPBACK = "127.0.0.1";

/** Starts an embedded Bot API and listens. Rejects when the port is taken. */
export async function startBotApi(options: BotApiOptions): Promise<BotApi> {
  const { clock, host = LOOPBACK, port = 0, spacing = SPACING_MS } = options;
  const identity = options.bot ?? {
    id: randomInt(100_000_000, 2 ** 31),
    username: "evie_bot",
    first_name: "evie",
  };
  const token = options.token ?? `${identity.id}:${randomBytes(26).toString("base64url")}`;
  const { id, first_name, username } = identity;
  const bot = { id, is_bot: true, first_name, username };

  const watch = createWatch();
  const world = createWorld(clock, bot, options.firstUpdateId ?? FIRST_UPDATE_ID, watch.changed);
  const log = createCallLog(clock, watch.changed);
  const plan = createFaultPlan(() => watch.changed({ kind: "fault" }));
  const flood = createFlood(options.flood ?? false);
  const desk: Desk = { world, log, faults: plan, flood };

  const listener = createListener(host, port, async (request, response, gone) => {
    // A page of the internet whose name was rebound to this address sends its own name here.
    if (host === LOOPBACK && !isOwnRequest(request.headers, { port: listener.port }))
      return sendError(response, new ApiError(403, "Forbidden: the host is not this server"));
    const route = parseRoute(request.url ?? "/");
    if (route === undefined) return sendError(response, new ApiError(404, "Not Found"));
    if (route.token !== token) return sendError(response, new ApiError(401, "Unauthorized"));
    if (route.file) return answerDownload(desk, route.rest, response, gone);
    return answerCall(desk, route.rest, route.query, request, response, gone);
  });
  await listener.open();

  const seat = { world, spacing };
  return {
    root: `http://${host.includes(":") ? `[${host}]` : host}:${listener.port}`,
    token,
    bot,
    person(identity) {
      const user = makeUser(identity);
      return createClient(world, user, world.open(makePrivateChat(user)), spacing);
    },
    group: (identity) => createGroup(seat, identity),
    channel: (identity) => createChannel(seat, identity),
    chat(id) {
      const room = world.rooms.get(id);
      if (room === undefined) throw new RangeError(`There is no chat ${id}.`);
      return room;
    },
    get chats() {
      return [...world.rooms.values()];
    },
    calls: log.calls,
    callsOf: (method) => log.calls.filter((call) => call.method.toLowerCase() === method.toLowerCase()),
    get commands() {
      return world.commands.get(EVERYBODY) ?? [];
    },
    faults: {
      calls: plan.calls,
      files: plan.files,
      clear: plan.clear,
      async outage() {
        await listener.shut();
        return { end: () => listener.open() };
      },
    },
    flood,
    pushUpdate: (raw) => world.updates.addRaw(raw),
    get pendingUpdates() {
      return world.updates.pending;
    },
    get polling() {
      return world.updates.waiting;
    },
    onChange: watch.onChange,
    until: watch.until,
    close: () => listener.shut(),
  };
}

interface Route {
  readonly file: boolean;
  readonly token: string;
  /** The method, or the path of the file. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

function parseRoute(target: string): Route | undefined {
  const url = targetOf(target);
  if (url === undefined) return undefined;
  try {
    const match = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(decodeURIComponent(url.pathname));
    if (match === null) return undefined;
    const [, file, token = "", rest = ""] = match;
    return { file: file !== undefined, token, rest, query: url.searchParams };
  } catch {
    // A path that cannot be decoded names nothing here.
    return undefined;
  }
}
