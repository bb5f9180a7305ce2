import { createHash, timingSafeEqual } from "node:crypto";

/** Which requests are let in. */
export interface Guard {
  /** Whether a Host header names this server. */
  isOwnHost(host: string | undefined): boolean;
  /** Whether an Origin header is a page of this server. Without one it is not. */
  isOwnOrigin(origin: string | undefined): boolean;
  /** Whether the bearer token or the cookie is right. */
  isKnown(headers: {
    readonly authorization?: string | undefined;
    readonly cookie?: string | undefined;
  }): boolean;
  /** Whether `key` is the token. */
  isToken(key: string): boolean;
  /** What a browser is told to keep, once it has shown the token. */
  readonly setCookie: string;
}

export interface GuardOptions {
  readonly token: string;
  /** The port that is listened on. */
  readonly port: () => number;
  /** Names beside those of loopback under which this server is reached, each with its port where that is another. */
  readonly names: readonly string[];
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** Seconds that a browser stays known: a year. */
const COOKIE_AGE = 31_536_000;

/**
 * Lets in who knows the token and means this server. The Host is parsed by its structure: a page of the internet
 * whose name was made to lead to 127.0.0.1 sends its own name, and an Origin that equals it.
 */
export function createGuard({ token, port, names }: GuardOptions): Guard {
  // Not the token itself: what a browser keeps, others on its machine may read.
  const cookie = createHash("sha256").update(`cookie of ${token}`).digest("base64url");
  // Cookies know no ports: two of evie in one browser must not lock each other out.
  const cookieName = (): string => `evie_${port()}`;

  function isOwnHost(host: string | undefined): boolean {
    const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::(\d{1,5}))?$/i.exec(host ?? "");
    if (match === null) return false;
    const [whole, name = "", given = "80"] = match;
    if (LOOPBACK.includes(name.toLowerCase())) return Number(given) === port();
    return names.some((own) =>
      [whole, ...(Number(given) === port() ? [name] : [])].some((text) => same(text, own)),
    );
  }

  return {
    isOwnHost,
    isOwnOrigin(origin) {
      const [, host] = /^https?:\/\/(.+)$/i.exec(origin ?? "") ?? [];
      return isOwnHost(host);
    },
    isKnown({ authorization, cookie: cookies }) {
      const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
      if (bearer !== undefined) return isEqual(bearer, token);
      return isEqual(cookieOf(cookies, cookieName()), cookie);
    },
    isToken: (key) => isEqual(key, token),
    get setCookie() {
      return `${cookieName()}=${cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_AGE}`;
    },
  };
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Compares in a time that tells nothing of how much is right. */
function isEqual(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function cookieOf(header: string | undefined, name: string): string {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return "";
}
