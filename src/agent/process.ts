import { randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { execa } from "execa";
import type { Clock } from "../domain/clock.ts";
import type { AgentExit } from "../domain/failure.ts";
import { MARK } from "./identity.ts";
import { createLineSplitter } from "./jsonl.ts";
import { lastWords } from "./last-words.ts";
import { killOrphans } from "./orphans.ts";
import { readPaced, withoutReadAhead } from "./paced-reading.ts";
import { descendantsOf, killGroup, killGroups } from "./process-tree.ts";

export interface ProcessOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment, to which only the mark is added by which its processes are known. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Called for each line of stdout, in order, never after `ended`; see `createLineSplitter`. It must not throw. */
  readonly onLine: (line: string) => void;
}

export type ProcessEnd =
  /** `orphans`: how many process groups of its tools it left at work, which were then killed; not there when none. */
  | { readonly type: "exited"; readonly exit: AgentExit; readonly orphans?: number }
  /** It never ran; `code` is the system's, such as ENOENT or EACCES. */
  | { readonly type: "not_started"; readonly code: string; readonly reason: string };

/** A program that talks in JSON lines. */
export interface LineProcess {
  readonly pid: number | undefined;
  /** What MARK holds in its environment. */
  readonly mark: string;
  /** Writes one line. That nobody reads it any more is no error here: `ended` tells. */
  readonly writeLine: (line: string) => void;
  /** Settles once, when the exit was seen and all that it said was read. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Ends it and every process under it: stdin is closed and SIGTERM sent; what is left after KILL_AFTER is killed.
   * Resolves when the exit was seen. Idempotent, never rejects.
   */
  readonly dismiss: () => Promise<void>;
}

/** Milliseconds that a program has to end its own tree. pi takes 30. */
const KILL_AFTER = 1_000;

/** Bytes of stderr that are kept to find the last line in. */
const STDERR_KEPT = 8_192;

/** Starts a program in a process group of its own, so that Ctrl-C for evie does not reach it. Never throws. */
export function startProcess({ file, args, cwd, env, clock, onLine }: ProcessOptions): LineProcess {
  const mark = randomUUID();
  const child = withoutReadAhead(() =>
    execa(file, args, {
      cwd,
      env: { ...env, [MARK]: mark },
      extendEnv: false,
      // With execa's own buffer a child ends at 100 MB of output.
      buffer: false,
      reject: false,
      detached: true,
      forceKillAfterDelay: false,
    }),
  );

  let dismissal: Promise<void> | undefined;
  let over = false;
  let bytesRead = 0;
  const lines = createLineSplitter((line) => {
    if (!over) onLine(line);
  });
  let stderr = Buffer.alloc(0);
  const reading = readPaced({
    stream: child.stdout,
    clock,
    onChunk: (chunk) => {
      bytesRead += chunk.length;
      lines.push(chunk);
    },
  });
  child.stderr.on("data", (chunk: Buffer) => {
    bytesRead += chunk.length;
    stderr = Buffer.concat([stderr, chunk]).subarray(-STDERR_KEPT);
  });
  // Without a listener a write after the program's end would end evie.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => {});

  /** All that a program wrote is in its pipes when it exits, but a child of its that holds them keeps them open. */
  const drained = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3;) {
      const before = bytesRead;
      await setImmediate();
      quiet = bytesRead === before ? quiet + 1 : 0;
    }
  };

  const { promise: ended, resolve: settle } = Promise.withResolvers<ProcessEnd>();
  const finish = (end: ProcessEnd): void => {
    if (over) return;
    lines.end();
    over = true;
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    settle(end);
  };
  let orphans: number | undefined;
  const finishExited = async (code: number | undefined, signal: string | undefined): Promise<void> => {
    // Whoever dismisses it ends its tree. Once: what a killed tool has sent away would look like a tool itself.
    orphans ??= dismissal === undefined && child.pid !== undefined ? killOrphans(mark, child.pid) : 0;
    reading.hurry();
    await drained();
    const words = lastWords(stderr.toString("utf8"), env);
    finish({
      type: "exited",
      ...(orphans === 0 ? {} : { orphans }),
      exit: {
        ...(code === undefined ? {} : { code }),
        ...(signal === undefined ? {} : { signal }),
        ...(words === undefined ? {} : { lastWords: words }),
      },
    });
  };
  child.nodeChildProcess.once("exit", (code, signal) => {
    void finishExited(code ?? undefined, signal ?? undefined);
  });
  const watch = async (): Promise<void> => {
    const { exitCode, signal, code, originalMessage, shortMessage } = await child;
    if (exitCode !== undefined || signal !== undefined) return finishExited(exitCode, signal);
    const reason = originalMessage ?? shortMessage ?? "no reason given";
    finish({ type: "not_started", code: code ?? "unknown", reason });
  };
  void watch();

  const endTree = async (): Promise<void> => {
    const { pid } = child;
    if (pid === undefined || over) return;
    // Seen now, because what outlives its parent cannot be found from above any more.
    const before = descendantsOf(pid) ?? [];
    child.stdin.end();
    child.kill("SIGTERM");
    const waiting = new AbortController();
    await Promise.race([ended, clock.sleep(KILL_AFTER, waiting.signal)]);
    waiting.abort();
    const now = descendantsOf(pid);
    killGroups([...before, ...(now ?? [])]);
    if (now === undefined) killGroup(pid);
    child.kill("SIGKILL");
  };

  return {
    pid: child.pid,
    mark,
    ended,
    writeLine: (line) => {
      if (!over && child.stdin.writable) child.stdin.write(`${line}\n`);
    },
    dismiss: async () => {
      dismissal ??= endTree();
      await dismissal;
      await ended;
    },
  };
}
