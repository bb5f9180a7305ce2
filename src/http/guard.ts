import { isOwnHost, isOwnOrigin, type OwnAddress } from "../domain/loopback.ts";
import { type BrowserKeys, isEqual } from "./keys.ts";

/** Somebody who was let in. */
export interface Visitor {
  /** Tells whether they would still be let in: a person may have been taken off the list since. */
  isWelcome(): boolean;
}

/** Which requests are let in. */
export interface Guard {
  /** Whether a Host header names this server. */
  isOwnHost(host: string | undefined): boolean;
  /** Whether an Origin header is a page of this server. Without one it is not. */
  isOwnOrigin(origin: string | undefined): boolean;
  /** Returns who brings the token or a key as a bearer token, or a key beside the protocol of the deck's WebSocket. */
  visitorOf(headers: {
    readonly authorization?: string | undefined;
    readonly "sec-websocket-protocol"?: string | undefined;
  }): Visitor | undefined;
}

export interface GuardOptions {
  readonly token: string;
  readonly keys: BrowserKeys;
  /** Tells whether that person may use evie now. */
  readonly isAllowed: (userId: number) => boolean;
  /** The port that is listened on. */
  readonly port: () => number;
  /** Names beside those of loopback under which this server is reached, each with its port where that is another. */
  readonly names: readonly string[];
}

/** The deck's protocol on a WebSocket. A page can add no header there: behind it, it names its key as another protocol. */
export const DECK_PROTOCOL = "evie";

/** Lets in who knows the token or has a key, and means this server. */
export function createGuard({ token, keys, isAllowed, port, names }: GuardOptions): Guard {
  const own = (): OwnAddress => ({ port: port(), names, secure: true });

  return {
    isOwnHost: (host) => isOwnHost(host, own()),
    isOwnOrigin: (origin) => isOwnOrigin(origin, own()),
    visitorOf({ authorization, "sec-websocket-protocol": protocols }) {
      const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
      const given = bearer ?? keyBeside(protocols);
      if (given === undefined) return undefined;
      const owner = isEqual(given, token) ? "machine" : keys.ownerOf(given);
      if (owner === undefined) return undefined;
      const visitor: Visitor = { isWelcome: () => owner === "machine" || isAllowed(owner) };
      return visitor.isWelcome() ? visitor : undefined;
    },
  };
}

/** Tells whether a WebSocket is asked for by a deck. */
export function isDeckProtocol(protocols: string | undefined): boolean {
  return namesOf(protocols)[0] === DECK_PROTOCOL;
}

function keyBeside(protocols: string | undefined): string | undefined {
  return isDeckProtocol(protocols) ? namesOf(protocols)[1] : undefined;
}

function namesOf(protocols: string | undefined): readonly string[] {
  return (protocols ?? "").split(",").map((name) => name.trim());
}
