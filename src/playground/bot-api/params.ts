import { checkLevels } from "../../domain/levels.ts";
import { badRequest } from "./errors.ts";

/** An uploaded file. */
export interface Upload {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * The parameters of one call. In a form or a query everything is text, and objects are JSON in text; in a JSON
 * body they are what they are. Both read the same here.
 */
export interface Params {
  readonly raw: Readonly<Record<string, unknown>>;
  has(name: string): boolean;
  /** Undefined when absent or no whole number. */
  integer(name: string): number | undefined;
  string(name: string): string;
  flag(name: string): boolean;
  /** Undefined when absent; 400 when it is text that is no JSON. */
  json(name: string): unknown;
  /** The file sent as this parameter, or as the part that an `attach://` names. */
  upload(name: string): Upload | undefined;
}

export function createParams(
  raw: Readonly<Record<string, unknown>>,
  uploads: ReadonlyMap<string, Upload>,
): Params {
  const has = (name: string): boolean => raw[name] !== undefined && raw[name] !== null && raw[name] !== "";
  return {
    raw,
    has,
    integer(name) {
      const value = raw[name];
      if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
      return typeof value === "string" && /^\s*-?\d{1,16}\s*$/.test(value) ? Number(value) : undefined;
    },
    string(name) {
      const value = raw[name];
      if (typeof value === "string") return value;
      return typeof value === "number" || typeof value === "boolean" ? `${value}` : "";
    },
    flag(name) {
      const value = raw[name];
      return value === true || value === 1 || (typeof value === "string" && /^(true|yes|1)$/i.test(value));
    },
    json(name) {
      const value = raw[name];
      if (typeof value !== "string") return value ?? undefined;
      if (value === "") return undefined;
      try {
        checkLevels(value);
        const parsed: unknown = JSON.parse(value);
        return parsed;
      } catch {
        throw badRequest(`can't parse ${name} JSON object`);
      }
    },
    upload(name) {
      const direct = uploads.get(name);
      if (direct !== undefined) return direct;
      const value = raw[name];
      return typeof value === "string" && value.startsWith("attach://")
        ? uploads.get(value.slice(9))
        : undefined;
    },
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
