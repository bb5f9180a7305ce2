/**
 * A bot token wherever it stands, its colon URL-encoded or not. No word boundary in front: in `/bot123:AA…`, where
 * it stands most often, there is none.
 */
const BOT_TOKEN = /\d{5,}(?::|%3A)[A-Za-z0-9_-]{20,}/gi;

/** The secret of a claim link, which has this shape for the sake of being found. */
const CLAIM_SECRET = /evie-claim-[A-Za-z0-9_-]{20,}/g;

/** Takes out of a text each of `secrets`, raw, URL-encoded or inside JSON, and whatever looks like a bot token or the secret of a claim link. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    // The longest first, or a secret that begins like another one would leave its end behind.
    .sort((one, other) => other.length - one.length);
  return (text) =>
    forms
      .reduce((rest, form) => rest.replaceAll(form, "<secret>"), text)
      .replace(BOT_TOKEN, "<bot-token>")
      .replace(CLAIM_SECRET, "<claim-secret>");
}
