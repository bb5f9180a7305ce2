import { Worker } from "node:worker_threads";
import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { FormattedText } from "../entities.ts";
import type { MarkdownOptions } from "../markdown.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

/** Renders answers beside everything else. */
export interface RenderThread {
  /**
   * Renders the steps of an answer, after those that were asked for before. Resolves with their pages, and with undefined
   * when they took longer than the deadline, or the thread failed. Never rejects.
   */
  render(
    answer: number,
    steps: readonly string[],
    options: MarkdownOptions,
  ): Promise<readonly FormattedText[] | undefined>;
  /** Starts the thread, if it does not run: something long will be asked for soon. */
  warm(): void;
  /** Lets go of what is kept of an answer. */
  forget(answer: number): void;
  /** Ends the thread; what is being rendered is given up. */
  close(): void;
}

export interface RenderThreadOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds for one answer. */
  readonly deadline?: number;
}

/** Milliseconds: 100 kB of usual markdown take a tenth of it. */
const DEADLINE = 5_000;

/** Milliseconds without work after which the thread is ended, with the 15 MB that it holds. */
const IDLE = 30_000;

/** Megabytes that the thread may use for its objects. */
const LARGEST_HEAP = 256;

/** The worker's file: beside this one in the source, and beside the file that this is bundled into in a package. */
const WORKER = new URL(`./render-worker.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);

interface Job {
  readonly message: ToWorker & { readonly type: "render" };
  readonly done: (pages: readonly FormattedText[] | undefined) => void;
}

export class WorkerRenderThread implements RenderThread {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #deadline: number;
  #worker: Worker | undefined;
  #waiting: readonly Job[] = [];
  #running: Job | undefined;
  /** Ends the wait for the deadline, or for the idle thread's end. */
  #timer = new AbortController();
  #jobs = 0;
  #closed = false;

  constructor({ clock, log, deadline = DEADLINE }: RenderThreadOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#deadline = deadline;
  }

  render(
    answer: number,
    steps: readonly string[],
    { streaming }: MarkdownOptions,
  ): Promise<readonly FormattedText[] | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    return new Promise((done) => {
      this.#jobs += 1;
      const message = { type: "render", job: this.#jobs, answer, steps, streaming } as const;
      this.#waiting = [...this.#waiting, { message, done }];
      this.#next();
    });
  }

  warm(): void {
    if (this.#closed || this.#worker !== undefined) return;
    this.#start();
    if (this.#running === undefined) this.#after(IDLE, () => this.#end());
  }

  forget(answer: number): void {
    const message: ToWorker = { type: "forget", answer };
    this.#worker?.postMessage(message);
  }

  close(): void {
    this.#closed = true;
    this.#end();
    const dropped = [...(this.#running === undefined ? [] : [this.#running]), ...this.#waiting];
    this.#running = undefined;
    this.#waiting = [];
    for (const { done } of dropped) done(undefined);
  }

  #next(): void {
    if (this.#running !== undefined) return;
    const [job, ...waiting] = this.#waiting;
    if (job === undefined) return this.#after(IDLE, () => this.#end());
    this.#waiting = waiting;
    this.#running = job;
    const worker = this.#worker ?? this.#start();
    worker.postMessage(job.message);
    this.#after(this.#deadline, () => this.#fail("it took too long"));
  }

  #start(): Worker {
    const worker = new Worker(WORKER, {
      resourceLimits: { maxOldGenerationSizeMb: LARGEST_HEAP },
      // Nothing of the environment is needed to render, and the bot's token is in it.
      env: {},
    });
    // It must not keep a process alive that has nothing else to do.
    worker.unref();
    worker.on("message", (answer: FromWorker) => this.#hear(answer));
    worker.on("error", (error) => {
      if (worker === this.#worker) this.#fail(error instanceof Error ? error.message : String(error));
    });
    this.#worker = worker;
    return worker;
  }

  #hear({ job, pages }: FromWorker): void {
    if (this.#running?.message.job === job) this.#settle(pages);
  }

  #fail(reason: string): void {
    this.#end();
    if (this.#running === undefined) return;
    const length = this.#running.message.steps.reduce((sum, step) => sum + step.length, 0);
    this.#log.warn({ reason, length }, "an answer could not be rendered, and is shown as it was written");
    this.#settle(undefined);
  }

  #settle(pages: readonly FormattedText[] | undefined): void {
    const job = this.#running;
    this.#running = undefined;
    job?.done(pages);
    this.#next();
  }

  #end(): void {
    this.#timer.abort();
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.terminate().catch((error: unknown) => {
      this.#log.error({ err: error }, "the thread that renders could not be ended");
    });
  }

  /** Does that when so much time has passed, unless something else is waited for by then. */
  #after(ms: number, then: () => void): void {
    this.#timer.abort();
    const timer = new AbortController();
    this.#timer = timer;
    void this.#clock.sleep(ms, timer.signal).then(() => {
      if (!timer.signal.aborted) then();
    });
  }
}
