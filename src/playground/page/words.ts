/** `3 messages`, `1 message`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** `12 kB`, in units of a thousand. */
export function bytes(size: number): string {
  if (size < 1_000) return `${size} B`;
  return size < 999_500 ? `${Math.round(size / 1_000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
}

export function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

export function exactTimeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
}

export function dayOf(at: number): string {
  return new Date(at).toLocaleDateString([], { weekday: "long", day: "numeric", month: "long" });
}

export function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 1_000)} s`;
}

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
