import process from "node:process";
import type { Writable } from "node:stream";
import { pino } from "pino";
import type { DestinationStream } from "pino";
import type { Log } from "./domain/log.ts";
import { redactor } from "./log/redact.ts";
import { tame } from "./log/tame.ts";

const STDERR = 2;

export interface LogOptions {
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** What must never be seen in the log. Bot tokens are found without being named. */
  readonly secrets: readonly string[];
  /** Where the lines go, stderr when left out: stdout is for what a person asked for. */
  readonly stream?: Writable;
  /** For eyes instead of programs. When left out: whether stderr is a terminal. */
  readonly pretty?: boolean;
}

/** The log of the program: one line a call, written before the call comes back, so that a crash loses none. */
export async function createLog(options: LogOptions): Promise<Log> {
  const redact = redactor(options.secrets);
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) =>
          Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, tame(value)])),
      },
      // Else pino's own would dress up what is tame already.
      serializers: { err: (error: unknown) => error },
      // The last line of defence: whatever is written passes here, as text.
      hooks: { streamWrite: redact },
    },
    await destination(options),
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

async function destination({
  stream,
  pretty: isPretty = stream === undefined && process.stderr.isTTY,
}: LogOptions): Promise<DestinationStream> {
  const output = stream ?? standardError();
  if (!isPretty) return output;
  // Loaded where somebody looks: a service writes JSON, and starts without it.
  const { default: pretty } = await import("pino-pretty");
  return pretty({
    destination: output,
    colorize: stream === undefined && pretty.isColorSupported,
    translateTime: "SYS:HH:MM:ss",
  });
}

/** A terminal that was closed, or a reader that has gone, must not end evie: lines then go nowhere. */
function standardError(): DestinationStream & NodeJS.EventEmitter {
  const output = pino.destination({ dest: STDERR, sync: true });
  output.on("error", () => undefined);
  return output;
}
