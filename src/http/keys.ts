import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** By this the log and the Telegram face know a key, wherever one should turn up. */
const PREFIX = "evie-deck-";

/** Where it is kept for whom there is a key. It holds no keys: without the token nobody can make one out of it. */
export interface KeyLedger {
  /** The salts of the keys that there are, by the Telegram ids of their owners. */
  salts(): ReadonlyMap<number, string>;
  /** Keeps another one, durable when it returns. */
  keep(userId: number, salt: string): void;
}

export interface KeysOptions {
  /** The token: with another one, every key has ended. */
  readonly token: string;
  readonly ledger: KeyLedger;
}

/** For whom a key is: a person of that Telegram id, or whoever sits at the machine. */
export type KeyOwner = number | "machine";

/** What browsers show in place of the token, which they never keep. */
export interface BrowserKeys {
  /** Lets in whoever was given it at the machine. */
  readonly machine: string;
  /** Returns the person's own key, the same one until it ends. Throws when it cannot be kept. */
  keyOf(userId: number): string;
  /** Returns whose key it is; undefined for what is none. */
  ownerOf(key: string): KeyOwner | undefined;
}

/** Makes the keys of browsers out of the token, each with a salt: one that has ended does not come back with its person. */
export function createKeys({ token, ledger }: KeysOptions): BrowserKeys {
  const make = (of: string): string =>
    PREFIX + createHmac("sha256", token).update(`key of ${of}`).digest("base64url");
  const machine = make("machine");
  const keys = new Map<number, string>();
  const owners = new Map<string, KeyOwner>([[hashOf(machine), "machine"]]);

  function add(userId: number, salt: string): string {
    const key = make(`${userId} ${salt}`);
    keys.set(userId, key);
    owners.set(hashOf(key), userId);
    return key;
  }

  for (const [userId, salt] of ledger.salts()) add(userId, salt);

  return {
    machine,
    keyOf(userId) {
      const known = keys.get(userId);
      if (known !== undefined) return known;
      const salt = randomBytes(16).toString("base64url");
      ledger.keep(userId, salt);
      return add(userId, salt);
    },
    // Looked up by its hash: how long that takes tells nothing of how much of a guess is right.
    ownerOf: (key) => owners.get(hashOf(key)),
  };
}

/** Compares in a time that tells nothing of how much is right. */
export function isEqual(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function hashOf(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}
