import { createHash, timingSafeEqual } from "node:crypto";
import { cookieOf } from "../domain/cookie.ts";
import { isOwnHost, isOwnOrigin, type OwnAddress } from "../domain/loopback.ts";

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

/** Seconds that a browser stays known: a year. */
const COOKIE_AGE = 31_536_000;

/** Lets in who knows the token and means this server. */
export function createGuard({ token, port, names }: GuardOptions): Guard {
  // Not the token itself: what a browser keeps, others on its machine may read.
  const cookie = createHash("sha256").update(`cookie of ${token}`).digest("base64url");
  // Cookies know no ports: two of evie in one browser must not lock each other out.
  const cookieName = (): string => `evie_${port()}`;

  const own = (): OwnAddress => ({ port: port(), names, secure: true });

  return {
    isOwnHost: (host) => isOwnHost(host, own()),
    isOwnOrigin: (origin) => isOwnOrigin(origin, own()),
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

/** Compares in a time that tells nothing of how much is right. */
function isEqual(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
