import type { Clock } from "../../domain/clock.ts";
import { ApiError } from "./errors.ts";
import type { Update } from "./shapes.ts";

/** Update kinds that a bot gets only when it names them in `allowed_updates`. */
const ONLY_WHEN_ASKED = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

/** The numbers of the Bot API server. */
const MAX_LIMIT = 100;
const MAX_TIMEOUT = 50;
const MAX_BYTES = 4 * 1024 * 1024;
const KEPT_MS = 24 * 3_600_000;
/** The same offset again so soon counts as a bot in a hurry. */
const SAME_OFFSET_MS = 3_000;
const SAME_OFFSET_AT_ONCE_MS = 500;
const CONFLICT_MS = 3_000;

const OTHER_POLL =
  "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running";
const WEBHOOK_ACTIVE =
  "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

export interface PollRequest {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  /** Undefined leaves the last choice as it is. */
  readonly allowedUpdates?: readonly string[] | undefined;
}

export interface UpdateQueue {
  /** Queues an update of this kind unless the bot does not want it. */
  add(kind: string, value: unknown): void;
  /** Queues an update whatever the bot wants. */
  addRaw(raw: Readonly<Record<string, unknown>>): number;
  /** What `getUpdates` answers. Throws an ApiError 409; gives nothing when `signal` ends the wait. */
  poll(request: PollRequest, signal: AbortSignal): Promise<readonly Update[]>;
  setWebhook(url: string): void;
  readonly webhook: string;
  allow(kinds: readonly string[] | undefined): void;
  clear(): void;
  readonly pending: readonly Update[];
  readonly waiting: boolean;
}

/** The queue of updates of one bot, by the rules of the Bot API server. `changed` is called after each new update and when a poll begins or ends to wait. */
export function createUpdateQueue(
  clock: Clock,
  firstId: number,
  changed: (kind: "update" | "poll") => void,
): UpdateQueue {
  let queue: { update: Update; queuedAt: number }[] = [];
  let nextId = firstId;
  let wanted: ReadonlySet<string> | undefined;
  let webhook = "";
  let waiter: { wake: () => void; fail: (error: ApiError) => void; ended: AbortSignal } | undefined;
  let last = { offset: Number.NaN, at: -Infinity };
  let nextConflictAt = -Infinity;

  const put = (update: Update): void => {
    queue.push({ update, queuedAt: clock.now() });
    waiter?.wake();
    changed("update");
  };

  /** Forgets what is confirmed or a day old, and gives the offset from which to answer. */
  const confirm = (offset: number): number => {
    queue = queue.filter(({ queuedAt }) => clock.now() - queuedAt < KEPT_MS);
    const head = queue[0]?.update.update_id ?? nextId;
    let from = offset < 0 ? nextId + offset : offset;
    // Far ahead of everything is the offset of another life of the queue, not a confirmation.
    if (from > nextId + 10) from = head;
    if (from > head) queue = queue.filter(({ update }) => update.update_id >= from);
    return from;
  };

  const take = (limit: number): readonly Update[] => {
    const taken: Update[] = [];
    let bytes = 0;
    for (const { update } of queue.slice(0, limit)) {
      bytes += Buffer.byteLength(JSON.stringify(update));
      if (taken.length > 0 && bytes > MAX_BYTES) break;
      taken.push(update);
    }
    return taken;
  };

  /** The first conflict is said at once, more of them only every three seconds. */
  const conflict = (text: string, fail: (error: ApiError) => void, signal: AbortSignal): void => {
    const error = new ApiError(409, text);
    if (clock.now() >= nextConflictAt) {
      nextConflictAt = clock.now() + CONFLICT_MS;
      fail(error);
      return;
    }
    void clock.sleep(CONFLICT_MS, signal).then(() => fail(error));
  };

  const leave = (poll: typeof waiter): void => {
    if (waiter !== poll) return;
    waiter = undefined;
    changed("poll");
  };

  const wait = (seconds: number, limit: number, signal: AbortSignal): Promise<readonly Update[]> =>
    new Promise((resolve, reject) => {
      const over = new AbortController();
      const ended = AbortSignal.any([signal, over.signal]);
      const done = (): void => {
        leave(self);
        over.abort();
      };
      const self = {
        wake: () => {
          done();
          resolve(take(limit));
        },
        fail: (error: ApiError) => {
          done();
          reject(error);
        },
        ended,
      };
      waiter = self;
      changed("poll");
      const runOut = async (): Promise<void> => {
        await clock.sleep(seconds * 1000, ended);
        leave(self);
        resolve([]);
      };
      void runOut();
    });

  const endOlderPoll = (text: string): void => {
    const older = waiter;
    waiter = undefined;
    if (older !== undefined) conflict(text, older.fail, older.ended);
  };

  const allow = (kinds: readonly string[] | undefined): void => {
    if (kinds !== undefined) wanted = kinds.length === 0 ? undefined : new Set(kinds);
  };

  return {
    add(kind, value) {
      if (wanted === undefined ? ONLY_WHEN_ASKED.has(kind) : !wanted.has(kind)) return;
      put({ update_id: nextId++, [kind]: value });
    },
    addRaw(raw) {
      const given = raw["update_id"];
      const id = typeof given === "number" ? given : nextId;
      nextId = id + 1;
      put({ ...raw, update_id: id });
      return id;
    },
    async poll({ offset = 0, limit = MAX_LIMIT, timeout = 0, allowedUpdates }, signal) {
      if (webhook !== "") {
        await new Promise<never>((_, reject) => conflict(WEBHOOK_ACTIVE, reject, signal));
      }
      let count = Math.min(Math.max(limit, 1), MAX_LIMIT);
      let seconds = Math.min(Math.max(timeout, 0), MAX_TIMEOUT);
      allow(allowedUpdates);
      const since = offset === last.offset ? clock.now() - last.at : Infinity;
      if (since < SAME_OFFSET_MS) seconds = Math.max(seconds, 3);
      if (since < SAME_OFFSET_AT_ONCE_MS) count = 1;
      last = { offset, at: clock.now() };
      confirm(offset);
      endOlderPoll(OTHER_POLL);
      if (queue.length > 0 || seconds === 0) return take(count);
      return wait(seconds, count, signal);
    },
    setWebhook(url) {
      webhook = url;
      if (url !== "") endOlderPoll("Conflict: terminated by setWebhook request");
    },
    get webhook() {
      return webhook;
    },
    allow,
    clear() {
      queue = [];
    },
    get pending() {
      return queue.map(({ update }) => update);
    },
    get waiting() {
      return waiter !== undefined;
    },
  };
}
