import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { WebSocketServer, type WebSocket } from "ws";
import type { ClientFrame, ServerFrame, SessionInfo } from "../../src/domain/wire.ts";
import type { PageFiles } from "../../src/page-kit/bundle.ts";

/** What the server does; a test may change each of it at any time. */
export interface DeckScript {
  epoch: string;
  /** The bot's name; absent while it is not known. */
  bot?: string;
  sessions: readonly SessionInfo[];
  /** What is answered to a frame. */
  answer: (frame: ClientFrame) => readonly ServerFrame[];
  /** What is answered to a request under `/api`, as JSON. */
  api: (method: string, path: string) => unknown;
  /** Milliseconds between two frames: enough for a browser to paint in between. */
  gapMs: number;
  /** Whether sockets are taken at all. */
  isUp: boolean;
}

/** Speaks to the deck's pages from a script, as evie would. */
export interface FakeDeckServer extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  readonly script: DeckScript;
  /** Every frame that a page has sent, in order. */
  readonly received: readonly ClientFrame[];
  /** Sends to every page, and says when it is on its way. */
  send(...frames: readonly ServerFrame[]): Promise<void>;
  /** Cuts every socket without a word. */
  cut(): void;
}

/** Gives a page a key before it loads, as the link of evie does. The server takes any. */
export async function giveKey(page: Page): Promise<void> {
  await page.addInitScript({ content: 'localStorage.setItem("evie.key", "a-key");' });
}

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="#7fb0b8"/>
<circle cx="240" cy="60" r="30" fill="#f7d58a"/><path d="M0 150 90 70l70 60 50-40 110 80v20H0z" fill="#35636b"/></svg>`;

export async function startFakeDeckServer(
  files: PageFiles,
  first: Partial<DeckScript> = {},
): Promise<FakeDeckServer> {
  const script: DeckScript = {
    epoch: "epoch-1",
    sessions: [],
    answer: () => [],
    api: () => ({}),
    gapMs: 0,
    isUp: true,
    ...first,
  };
  const received: ClientFrame[] = [];
  const open = new Map<WebSocket, Promise<void>>();
  const http = createServer((request, response) => serve(files, script, request, response));
  const sockets = new WebSocketServer({ noServer: true });

  /** One after the other, with the gap between them. */
  const say = (socket: WebSocket, frames: readonly ServerFrame[]): Promise<void> => {
    const said = (open.get(socket) ?? Promise.resolve()).then(async () => {
      for (const frame of frames) {
        socket.send(JSON.stringify(frame));
        if (script.gapMs > 0) await setTimeout(script.gapMs);
      }
    });
    open.set(socket, said);
    return said;
  };

  http.on("upgrade", (request, stream, head) => {
    if (!script.isUp || request.url !== "/ws") {
      stream.destroy();
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      socket.on("close", () => open.delete(socket));
      socket.on("message", (data: Buffer) => {
        const frame = JSON.parse(data.toString("utf8")) as ClientFrame;
        received.push(frame);
        void say(socket, script.answer(frame));
      });
      void say(socket, [
        {
          type: "hello",
          epoch: script.epoch,
          version: "0.0.0",
          ...(script.bot === undefined ? {} : { bot: script.bot }),
        },
        { type: "sessions", sessions: script.sessions },
      ]);
    });
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");

  const cut = (): void => {
    for (const socket of open.keys()) socket.terminate();
  };
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    script,
    received,
    send: async (...frames) => {
      await Promise.all([...open.keys()].map((socket) => say(socket, frames)));
    },
    cut,
    async [Symbol.asyncDispose]() {
      script.isUp = false;
      cut();
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}

function serve(
  { html, js, css, icon }: PageFiles,
  script: DeckScript,
  { method = "GET", url = "/" }: IncomingMessage,
  response: ServerResponse,
): void {
  const give = (type: string, body: string): void => {
    response.writeHead(200, { "content-type": type });
    response.end(body);
  };
  if (url.startsWith("/api/")) return give("application/json", JSON.stringify(script.api(method, url)));
  if (url === "/deck.js") return give("text/javascript", js);
  if (url === "/deck.css") return give("text/css", css);
  if (url === "/icon.svg") return give("image/svg+xml", icon);
  if (url.startsWith("/pictures/")) return give("image/svg+xml", PICTURE);
  if (url === "/" || url.startsWith("/s/")) return give("text/html; charset=utf-8", html);
  response.writeHead(404);
  response.end();
}
