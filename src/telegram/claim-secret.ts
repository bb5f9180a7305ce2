import { randomBytes } from "node:crypto";
import type { Update } from "grammy/types";

/** By this the log knows a secret, wherever one should turn up. */
const PREFIX = "evie-claim-";

/** Telegram takes 64 characters of these behind `?start=`; 32 random bytes are 43 of them. */
const START = /^\/start(?:@\w+)? (evie-claim-[\w-]{43})$/;

/** A secret of a claim link or a key to the deck, whole or in part, as it is or percent-encoded. */
const SECRET = /evie(?:-|%2D)(?:claim(?:-|%2D)(?:[\w-]|%2D|%5F){8,}|deck(?:-|%2D)(?:[\w-]|%2D|%5F){20,})/gi;

/** Makes the secret of a claim link. */
export function makeClaimSecret(): string {
  return `${PREFIX}${randomBytes(32).toString("base64url")}`;
}

/** Returns the secret that a text opens a claim link with; undefined where it is no such text. */
export function openedSecret(text: string): string | undefined {
  return START.exec(text)?.[1];
}

/**
 * Blots out every secret in an update, wherever it stands: in a text, a caption, a link, a name. The texts keep their
 * lengths, since the offsets of formatting count them.
 */
export function hideSecrets(update: Update): void {
  const open: unknown[] = [update];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === "object") open.push(inner ?? {});
      if (typeof inner !== "string" || !inner.toLowerCase().includes("evie")) continue;
      Object.assign(value, { [key]: inner.replace(SECRET, (secret) => "x".repeat(secret.length)) });
    }
  }
}
