import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Clock } from "../domain/clock.ts";
import type { DiskWatch } from "../domain/disk.ts";
import type { Face } from "../domain/events.ts";
import { parseSessionId, type SessionId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import {
  FolderError,
  type ObservedSession,
  type SessionDirectory,
  type TakenPrompt,
} from "../domain/sessions.ts";
import { bodies, headers, LARGEST_BODY, readJson, readShape } from "./bodies.ts";
import { toJson } from "../domain/text.ts";
import type { MakeDraft } from "./drafts.ts";
import type { Guard, Visitor } from "./guard.ts";
import { checkAnswered } from "./hub.ts";
import { LOCKED, noSession, Refusal, refusalFor } from "./refusal.ts";
import type { Readers } from "./readers.ts";
import { endingBody, eventStream } from "./sse.ts";
import type * as z from "zod";

/** The browser's page, built. */
export interface Page {
  readonly html: string;
  readonly js: string;
  readonly css: string;
  /** SVG. */
  readonly icon: string;
}

export interface AppOptions {
  readonly sessions: SessionDirectory;
  readonly guard: Guard;
  readonly makeDraft: MakeDraft;
  readonly readers: Readers;
  /** The pictures of a session's messages. */
  readonly pictures: {
    read(
      session: SessionId,
      name: string,
    ): { readonly mimeType: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined;
  };
  /** Built when it is first asked for. */
  readonly page: () => Promise<Page>;
  /** What else `/health` says to who is known. */
  readonly health: () => Readonly<Record<string, unknown>>;
  /** Another one for each process of evie. */
  readonly epoch: string;
  readonly version: string;
  readonly disk?: DiskWatch | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Seconds after which a program that was told "too many" may try again. */
const RETRY_AFTER = "10";

/** Nothing from elsewhere runs, is shown or is sent, and a browser keeps nothing: it is read on machines of others, too. */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
};

/** The HTTP API and the files of the browser's page, behind the guard. */
export function createApp(options: AppOptions): Hono {
  const { sessions, guard, makeDraft, readers, pictures, page, epoch, version, disk, clock, log } = options;
  const startedAt = clock.now();
  const app = new Hono();

  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    if (!guard.isOwnHost(context.req.header("host")))
      throw new Refusal(403, "wrong_host", "This is not the address that evie printed.");
    const origin = context.req.header("origin");
    if (origin !== undefined && !guard.isOwnOrigin(origin))
      throw new Refusal(403, "wrong_origin", "This request comes from another page.");
    await next();
  });

  const visitorOf = ({ req }: Context): Visitor | undefined =>
    guard.visitorOf({ authorization: req.header("authorization") });

  app.get("/health", (context) =>
    json(context, {
      ok: true,
      version,
      ...(visitorOf(context) !== undefined
        ? {
            uptimeMs: clock.now() - startedAt,
            sessions: sessions.list().map(({ id, state }) => ({ id, state })),
            ...options.health(),
          }
        : {}),
    }),
  );

  // The page's files hold no secrets: a browser cannot bring the key that its page keeps when it asks for them.
  for (const path of ["/", "/s/:id"]) app.get(path, async (context) => context.html((await page()).html));
  app.get("/deck.js", async (context) =>
    context.body((await page()).js, 200, { "content-type": "text/javascript; charset=utf-8" }),
  );
  app.get("/deck.css", async (context) =>
    context.body((await page()).css, 200, { "content-type": "text/css; charset=utf-8" }),
  );
  app.get("/icon.svg", async (context) =>
    context.body((await page()).icon, 200, { "content-type": "image/svg+xml" }),
  );

  app.use("/api/*", async (context, next) => {
    if (visitorOf(context) === undefined) throw new Refusal(401, "unknown", LOCKED);
    await next();
  });
  app.use(
    "/api/*",
    bodyLimit({
      maxSize: LARGEST_BODY,
      onError: () => {
        throw new Refusal(413, "too_large", `The body is larger than ${LARGEST_BODY} bytes.`);
      },
    }),
  );

  /** A browser says which page a request comes from, a program does not. */
  const faceOf = ({ req }: Context): Face => (req.header("origin") === undefined ? "http" : "deck");

  const sessionOf = (context: Context): ObservedSession => {
    const name = context.req.param("id") ?? "";
    const id = parseSessionId(name);
    const session = id === undefined ? undefined : sessions.open(id);
    if (session === undefined) throw noSession(name);
    return session;
  };

  app.get("/api/sessions", (context) => json(context, { sessions: sessions.list() }));

  app.post("/api/sessions", async (context) => {
    const { name, cwd } = await readBody(context, bodies.create);
    const session = sessions.create({
      face: faceOf(context),
      ...(name === undefined ? {} : { name }),
      ...(cwd === undefined ? {} : { cwd }),
    });
    return json(context, session.info(), 201);
  });

  app.get("/api/sessions/:id", (context) => {
    const { snapshot, detach } = sessionOf(context).observe(() => undefined);
    detach();
    return json(context, snapshot);
  });

  app.patch("/api/sessions/:id", async (context) => {
    const session = sessionOf(context);
    session.rename((await readBody(context, bodies.rename)).name);
    return json(context, session.info());
  });

  app.delete("/api/sessions/:id", async (context) => {
    const { id } = sessionOf(context);
    if ((await sessions.remove(id)) === "in use")
      throw new Refusal(409, "in_use", "A Telegram chat speaks with this session. Send /clear there first.");
    return context.body(null, 204);
  });

  app.get("/api/sessions/:id/messages", (context) => {
    const session = sessionOf(context);
    const before = context.req.query("before");
    if (before === undefined)
      throw new Refusal(400, "bad_request", 'Name in "before" the key of the message before which to look.');
    return json(context, session.messagesBefore(before));
  });

  app.get("/api/sessions/:id/messages/:key", (context) => {
    const message = sessionOf(context).message(context.req.param("key"));
    if (message === undefined) throw new Refusal(404, "no_message", "There is no such message.");
    return json(context, message);
  });

  app.get("/api/sessions/:id/pictures/:name", (context) => {
    const found = pictures.read(sessionOf(context).id, context.req.param("name"));
    if (found === undefined) throw new Refusal(404, "no_picture", "There is no such picture.");
    return context.body(found.bytes, 200, { "content-type": found.mimeType });
  });

  /** A function of its own: what waits for an answer holds no body of 20 MB. */
  const takePrompt = async (context: Context, session: ObservedSession): Promise<TakenPrompt> => {
    const body = await readBody(context, bodies.prompt);
    const named = { "Idempotency-Key": context.req.header("idempotency-key") };
    const requestId = body.requestId ?? readShape(headers, named)["Idempotency-Key"] ?? crypto.randomUUID();
    const { text, mode = "queue" } = body;
    return session.prompt(makeDraft(body), { face: faceOf(context), mode, requestId, text });
  };

  app.post("/api/sessions/:id/prompt", async (context) => {
    const session = sessionOf(context);
    const { turnId, ending } = await takePrompt(context, session);
    if (context.req.query("wait") === "0") return json(context, { turnId }, 202);
    if (context.req.header("accept")?.includes("text/event-stream") === true)
      return eventStream({
        session,
        readers,
        cut: cutOf(context),
        visitor: visitorOf(context),
        epoch,
        clock,
        ending,
      });
    return json(context, { turnId, ...endingBody(await ending) });
  });

  app.get("/api/sessions/:id/events", (context) =>
    eventStream({
      session: sessionOf(context),
      readers,
      cut: cutOf(context),
      epoch,
      clock,
      lastEventId: context.req.header("last-event-id"),
      visitor: visitorOf(context),
    }),
  );

  app.post("/api/sessions/:id/abort", (context) => json(context, { stopped: sessionOf(context).stop() }));

  app.post("/api/sessions/:id/clear", (context) => {
    const old = sessionOf(context);
    const next = sessions.create({ face: faceOf(context), cwd: old.cwd });
    old.replacedBy(next.id);
    old.dismiss().catch((error: unknown) => log.error({ err: error }, "an old session was not dismissed"));
    return json(context, next.info(), 201);
  });

  app.post("/api/sessions/:id/answer", async (context) => {
    const session = sessionOf(context);
    const { questionId, value } = await readBody(context, bodies.answer);
    checkAnswered(session.answer(questionId, value));
    return json(context, { answered: true });
  });

  app.notFound(() => {
    throw new Refusal(404, "not_found", "There is nothing here.");
  });

  app.onError((error, context) => {
    const { status, code, message } = hasLeft(context) ? CUT_OFF : refusalOf(error, log, disk);
    if (status === 429 || status === 503 || status === 507) context.header("retry-after", RETRY_AFTER);
    return json(context, { error: { code, message } }, status);
  });

  return app;
}

/** Answers with JSON that any program can read: hono's own would write halves of characters. */
function json(context: Context, value: object, status: ContentfulStatusCode = 200): Response {
  return context.body(toJson(value), status, { "content-type": "application/json" });
}

/** The JSON body of a request, checked. An empty one is an empty object. */
async function readBody<Shape>({ req }: Context, schema: z.ZodType<Shape>): Promise<Shape> {
  // hono's own would keep it for as long as the request waits for its answer.
  const text = await req.raw.text();
  // A form, which another page could send, says another type.
  const type = req.header("content-type") ?? "";
  if (text !== "" && !/^application\/json\b/i.test(type))
    throw new Refusal(415, "not_json", 'Send JSON, with "Content-Type: application/json".');
  return readShape(schema, text === "" ? {} : readJson(text));
}

/** What a client is answered that left in the middle of its body, and reads no answer. */
const CUT_OFF = new Refusal(400, "cut_off", "The body ended before all of it had come.");

/** Tells whether the client is gone and its request not whole: whatever failed then is no fault of evie's. */
function hasLeft({ env }: Context): boolean {
  const { incoming } = (env ?? {}) as Partial<HttpBindings>;
  return incoming !== undefined && incoming.destroyed && !incoming.complete;
}

/** Returns what cuts the connection of a request; undefined where there is none beneath. */
function cutOf({ env }: Context): (() => void) | undefined {
  const { outgoing } = (env ?? {}) as Partial<HttpBindings>;
  return outgoing === undefined ? undefined : () => void outgoing.destroy();
}

function refusalOf(error: Error, log: Log, disk: DiskWatch | undefined) {
  const refusal = refusalFor(error, disk);
  if (refusal !== undefined) return refusal;
  if (error instanceof FolderError) return new Refusal(400, "bad_folder", error.message);
  log.error({ err: error }, "a request failed by a fault of evie's own");
  const message = `evie made a mistake (${error.message}). Its log tells more.`;
  return { status: 500, code: "internal", message } as const;
}
