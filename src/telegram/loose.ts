/**
 * What is left of a type when its values come from outside: the names of its fields hold, and nothing else does.
 * Telegram's servers may be newer than the types.
 */
export type Loose<T> = Readonly<Partial<Record<keyof T, unknown>>>;

/** Reads a value as what may be a `T`. Whatever is not an object has no fields. */
export function loose<T>(value: unknown): Loose<T> {
  return (typeof value === "object" && value !== null ? value : {}) as Loose<T>;
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
