import type { ServerResponse } from "node:http";
import type { Clock } from "../../domain/clock.ts";
import { toJson } from "../../domain/text.ts";
import type { Frame } from "../wire.ts";

const HEARTBEAT_MS = 15_000;
/** Bytes that wait for one browser; one that does not read any more is let go, and gets all anew when it comes back. */
const LARGEST_BACKLOG = 32 * 2 ** 20;

/** Everybody who watches. */
export interface EventStream {
  /** Makes `response` a stream of server-sent events that begins with `first`. */
  join(response: ServerResponse, first: Frame): void;
  tell(frame: Frame): void;
  readonly watchers: number;
}

export function createEventStream(clock: Clock): EventStream {
  const watchers = new Set<ServerResponse>();

  async function keepAlive(response: ServerResponse, gone: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, gone);
      if (gone.aborted) return;
      response.write(": still here\n\n");
    }
  }

  return {
    join(response, first) {
      const gone = new AbortController();
      response.on("close", () => {
        watchers.delete(response);
        gone.abort();
      });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(record(first));
      watchers.add(response);
      void keepAlive(response, gone.signal);
    },
    tell(frame) {
      const text = record(frame);
      for (const response of watchers) {
        if (response.writableLength > LARGEST_BACKLOG) response.destroy();
        else response.write(text);
      }
    },
    get watchers() {
      return watchers.size;
    },
  };
}

function record(frame: Frame): string {
  return `data: ${toJson(frame)}\n\n`;
}
