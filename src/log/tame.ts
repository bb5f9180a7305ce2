/** Deeper than anything that is worth reading, and the end of what refers to itself. */
const DEEPEST = 6;

/**
 * What of a value may be logged. An error is reduced to a few harmless fields wherever it stands: those of grammY
 * carry the request's address with the token in it (`error`), what a person wrote (`payload`) and the whole bot
 * (`ctx`). Objects of a class, apart from errors, are left to their own `toJSON`.
 */
export function tame(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return "[too deep]";
  if (value instanceof Error) return tameError(value, depth);
  if (Array.isArray(value)) return value.map((each) => tame(each, depth + 1));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, tame(field, depth + 1)]));
}

const KEPT = ["code", "method", "description", "error_code"] as const;

function tameError(error: Error, depth: number): Record<string, unknown> {
  const fields: Record<string, unknown> = { name: error.name, message: error.message };
  for (const name of KEPT) {
    const field: unknown = Reflect.get(error, name);
    if (typeof field === "string" || typeof field === "number") fields[name] = field;
  }
  if (error.cause instanceof Error) fields["cause"] = tame(error.cause, depth + 1);
  if (typeof error.cause === "string") fields["cause"] = error.cause;
  fields["stack"] = error.stack;
  return fields;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
