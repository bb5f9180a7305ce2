import type { Log } from "../../src/domain/log.ts";

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface MemoryLog extends Log {
  readonly lines: readonly LogLine[];
  /** The messages of one level, in order. */
  messages(level: LogLine["level"]): readonly string[];
}

/** A log that a test reads instead of a person. */
export function createMemoryLog(): MemoryLog {
  const lines: LogLine[] = [];
  const writer =
    (level: LogLine["level"]) => (fields: Readonly<Record<string, unknown>>, message: string) => {
      lines.push({ level, fields, message });
    };
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    lines,
    messages: (level) => lines.filter((line) => line.level === level).map(({ message }) => message),
  };
}
