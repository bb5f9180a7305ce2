/** Names of variables whose values are keys. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH/i;

/** Characters of a value below which it is no key: `true` would blot out half a sentence. */
const SHORTEST = 8;

/** What a key looks like, whoever gave it out. */
const SHAPES: readonly RegExp[] = [
  // Providers of models, code hosts, chats and clouds each put a name in front of theirs.
  /\b(?:sk|pk|rk|gsk|hf|xai|r8|pplx|glpat|npm|dop_v1|gh[opsru]|github_pat|xox[abeprs]|AIza|ya29)[-_.]?[\w-]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  // A JSON web token.
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  // A Telegram bot's token, its colon encoded or not.
  /\d{5,}(?::|%3A)[\w-]{30,}/gi,
];

/** What stands in front of a key; the key follows. */
const INTRODUCED: readonly RegExp[] = [
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(\b(?:[\w-]*(?:api[-_]?key|token|secret|passw(?:or)?d))["']?\s*[:=]\s*["']?)[^\s"',;&]{6,}/gi,
  // The password in an address.
  /(\b[a-z][a-z\d+.-]*:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi,
];

/**
 * Takes keys out of a text that a program wrote: the values of those variables of `env` that are named like keys, and
 * what looks like a key. What stands around them stays, since it says what went wrong.
 */
export function hideKeys(text: string, env: Readonly<Record<string, string>>): string {
  let rest = text;
  for (const value of keysOf(env)) rest = rest.replaceAll(value, "<key>");
  for (const shape of INTRODUCED) rest = rest.replace(shape, "$1<key>");
  for (const shape of SHAPES) rest = rest.replace(shape, "<key>");
  return rest;
}

/** The longest first, or a key that begins like another one would leave its end behind. */
function keysOf(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= SHORTEST)
    .flatMap(([, value]) => [value, encodeURIComponent(value)])
    .sort((one, other) => other.length - one.length);
}
