import type { Clock } from "../../domain/clock.ts";
import type { ChatPlace } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import { type Budget, type BudgetSize, createBudget } from "../budget.ts";
import type { PerformCall } from "../calls.ts";
import { replies } from "../words.ts";

/** At most one a second, whoever writes: what a flood of strangers costs is bounded. */
const GREETINGS: BudgetSize = { perSecond: 1, burst: 5 };
/** Of what all chats together may send: a greeting is sent only where that much of it lies idle. */
const KEPT_FOR_OTHERS = 1 / 2;
/** Greetings that wait. Whoever comes behind them is greeted when they write again an hour later. */
const MOST_WAITING = 100;

export interface GreeterOptions {
  readonly perform: PerformCall;
  /** What all chats may send together. */
  readonly shared: Budget;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends what waits. */
  readonly closed: AbortSignal;
}

/** Tells strangers that the bot is private: behind everything else that is to be said, and one at a time. */
export class Greeter {
  readonly #options: GreeterOptions;
  readonly #own = createBudget(GREETINGS);
  readonly #waiting: { readonly place: ChatPlace; readonly userId: number }[] = [];
  #isRunning = false;

  constructor(options: GreeterOptions) {
    this.#options = options;
  }

  /** Returns at once. A greeting that fails is not tried again. */
  greet(place: ChatPlace, userId: number): void {
    if (this.#waiting.length >= MOST_WAITING) return;
    this.#waiting.push({ place, userId });
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run().catch((error: unknown) => {
      this.#isRunning = false;
      this.#options.log.error({ err: error }, "a greeting failed");
    });
  }

  async #run(): Promise<void> {
    const { perform, clock, closed } = this.#options;
    for (;;) {
      // A stranger's message must not overtake an answer that is about to be sent.
      await this.#turn();
      const next = this.#waiting.shift();
      if (next === undefined || closed.aborted) {
        this.#isRunning = false;
        return;
      }
      const content = { text: replies.stranger(next.userId), entities: [] };
      const answer = await perform(next.place, { type: "send", content, silent: true });
      if (answer.type === "flood") await clock.sleep(answer.retryAfter * 1_000, closed);
    }
  }

  async #turn(): Promise<void> {
    const { shared, clock, closed } = this.#options;
    while (!closed.aborted && this.#waiting.length > 0) {
      const now = clock.now();
      const at = Math.max(this.#own.readyAt(now, 1), shared.readyAt(now, 1, KEPT_FOR_OTHERS));
      if (at <= now) {
        this.#own.spend(now);
        shared.spend(now);
        return;
      }
      await clock.sleep(at - now, closed);
    }
  }
}
