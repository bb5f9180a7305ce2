/**
 * A bot token wherever it stands, its colon encoded for a URL, HTML or JSON, or not. No word boundary in front: in `/bot123:AA…`, where
 * it stands most often, there is none.
 */
const BOT_TOKEN = /\d{5,}(?::|%(?:25)*3A|&#(?:0*58|x0*3a);|&colon;|\\u003a)[A-Za-z0-9_-]{20,}/gi;

/** The secret of a claim link, and a key to the deck: both have this shape for the sake of being found. */
const CLAIM_SECRET = /evie-claim-[A-Za-z0-9_-]{20,}/g;
const DECK_KEY = /evie-deck-[A-Za-z0-9_-]{20,}/g;

/** Takes out of a text each of `secrets`, raw, URL-encoded or inside JSON, what is secret of each bot token alone, and whatever looks like a bot token, the secret of a claim link or a key to the deck. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, ...behindColon(secret)])
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    // The longest first, or a secret that begins like another one would leave its end behind.
    .sort((one, other) => other.length - one.length);
  return (text) =>
    forms
      .reduce((rest, form) => rest.replaceAll(form, "<secret>"), text)
      .replace(BOT_TOKEN, "<bot-token>")
      .replace(CLAIM_SECRET, "<claim-secret>")
      .replace(DECK_KEY, "<deck-key>");
}

/** A bot token is the bot's id, which is public, and the secret. */
function behindColon(secret: string): readonly string[] {
  const part = /^\d+:(.{20,})$/.exec(secret)?.[1];
  return part === undefined ? [] : [part];
}
