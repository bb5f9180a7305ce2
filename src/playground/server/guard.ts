import { createHash, timingSafeEqual } from "node:crypto";

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Whether a Host header names this machine's loopback at `port`. Parsed by its structure: a page of the internet
 * whose name was rebound to 127.0.0.1 sends its own name here, and must not get in.
 */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i.exec(host ?? "");
  const [, name = "", given = "80"] = match ?? [];
  return LOOPBACK_NAMES.includes(name.toLowerCase()) && Number(given) === port;
}

/** Whether an Origin header is a page of this server. Without one it is not: a browser always sends it with a POST. */
export function isOwnOrigin(origin: string | undefined, port: number): boolean {
  const scheme = "http://";
  return origin?.startsWith(scheme) === true && isLoopbackHost(origin.slice(scheme.length), port);
}

/** Compares in a time that tells nothing of how much is right. */
export function isSame(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

/** The value of one cookie; "" without it. */
export function cookieOf(header: string | undefined, name: string): string {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return "";
}
