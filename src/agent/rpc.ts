import { toJson } from "../domain/text.ts";
import type { ProcessEnd } from "./process.ts";

/** What a peer answered, or why it never will. */
export type Answer =
  | { readonly type: "success"; readonly data: unknown }
  | { readonly type: "failure"; readonly reason: string }
  | { readonly type: "gone"; readonly end: ProcessEnd };

/** A response as it came. Old agents leave the id out when they refuse. */
export interface Response {
  readonly id?: string;
  readonly command: string;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: string;
}

interface Request {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Requests under way to one peer. */
export interface Rpc {
  /**
   * Sends a request. `onAnswer` is called exactly once: with the peer's answer, synchronously when it is read, or with
   * the peer's end. There is no deadline: whoever asks knows how long is long.
   */
  request(request: Request, onAnswer: (answer: Answer) => void): void;
  /** Hands an answer to the request that it belongs to. False when there is none. */
  settle(response: Response): boolean;
  /** The peer has ended: every request under way, and every later one, is answered so. */
  close(end: ProcessEnd): void;
}

/** Matches answers to requests. A callback, not a promise: what follows an answer in the same chunk must find it handled. */
export function createRpc(writeLine: (line: string) => void): Rpc {
  const pending = new Map<string, { readonly type: string; readonly onAnswer: (answer: Answer) => void }>();
  let sent = 0;
  let closed: ProcessEnd | undefined;

  const keyOf = ({ id, command, success }: Response): string | undefined => {
    if (id !== undefined) return id;
    if (success) return undefined;
    for (const [key, { type }] of pending) if (type === command) return key;
    return undefined;
  };

  return {
    request: (request, onAnswer) => {
      if (closed !== undefined) return onAnswer({ type: "gone", end: closed });
      sent += 1;
      const id = `${sent}`;
      pending.set(id, { type: request.type, onAnswer });
      writeLine(toJson({ id, ...request }));
    },
    settle: (response) => {
      const key = keyOf(response);
      const asked = key === undefined ? undefined : pending.get(key);
      if (key === undefined || asked === undefined) return false;
      pending.delete(key);
      asked.onAnswer(
        response.success
          ? { type: "success", data: response.data }
          : { type: "failure", reason: response.error ?? "no reason given" },
      );
      return true;
    },
    close: (end) => {
      closed ??= end;
      const left = [...pending.values()];
      pending.clear();
      for (const { onAnswer } of left) onAnswer({ type: "gone", end });
    },
  };
}
