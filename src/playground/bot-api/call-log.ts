import type { Clock } from "../../domain/clock.ts";
import type { Call, Change } from "./bot-api.ts";
import type { Params } from "./params.ts";

/** A call in the log while it goes on. */
export interface OpenCall {
  readonly call: Call;
  readonly complain: (what: string) => void;
  /** The method has run. */
  took(): void;
  answered(answer: {
    readonly status: number;
    readonly description?: string | undefined;
    readonly result?: unknown;
  }): void;
  /** The connection ended before the answer was out. */
  lost(): void;
}

export interface CallLog {
  readonly calls: readonly Call[];
  begin(method: string, params: Params, payload: Readonly<Record<string, unknown>>): OpenCall;
}

export function createCallLog(clock: Clock, changed: (change: Change) => void): CallLog {
  const calls: Call[] = [];
  return {
    calls,
    begin(method, params, payload) {
      const complaints: string[] = [];
      const chatId = params.integer("chat_id");
      const call = {
        method,
        payload,
        chatId,
        at: clock.now(),
        answeredAt: undefined as number | undefined,
        status: undefined as number | undefined,
        description: undefined as string | undefined,
        result: undefined as unknown,
        effective: false,
        lost: false,
        complaints,
      };
      calls.push(call);
      const about = chatId === undefined ? {} : { chatId };
      changed({ kind: "call", ...about });
      return {
        call,
        complain: (what) => complaints.push(what),
        took() {
          call.effective = true;
          changed({ kind: "effect", ...about });
        },
        answered({ status, description, result }) {
          call.answeredAt = clock.now();
          call.status = status;
          call.description = description;
          call.result = result;
          changed({ kind: "answer", ...about });
        },
        lost() {
          call.lost = true;
          changed({ kind: "answer", ...about });
        },
      };
    },
  };
}
