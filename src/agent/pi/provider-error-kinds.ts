import type { ErrorText } from "./error-text.ts";
import { oneLine } from "./one-line.ts";

export const BY_HAND = "on evie's machine: run `pi` there.";
export const NEW_SESSION = "send /clear for a new session";
export const LATER = "Wait a minute, then send the message again.";
const NETWORK = "Check the network of evie's machine, then send the message again.";

/** One kind of errors that providers are known to tell. */
export interface Kind {
  /** HTTP statuses that tell it, whatever else is said. */
  readonly statuses?: readonly number[];
  /** Seen in its codes or its words. */
  readonly says?: RegExp;
  readonly what: string | ((error: ErrorText) => string);
  readonly advice: string | ((told: string) => string);
}

/**
 * The kinds of errors that providers are known to tell, each with the words that give it away: those of Anthropic,
 * OpenAI, Google, Amazon, Azure, OpenRouter, Mistral, Groq, xAI, z.ai, Ollama, llama.cpp and the proxies in front of
 * them, and what Node says of connections. The first that fits counts; those that are told by words come before those
 * that only a status tells.
 */
export const KINDS: readonly Kind[] = [
  {
    says: /invalid string length|heap out of memory/i,
    what: "this conversation has become too long for the agent",
    advice: capital(`${NEW_SESSION}.`),
  },
  {
    says: /ENOSPC|no space left on device/i,
    what: "the disk of evie's machine is full",
    advice: "Make room there, then send the message again.",
  },
  {
    says: /\b(?:EACCES|EPERM|EROFS|EIO|EMFILE|EDQUOT|ENOENT|ENOTDIR|EISDIR): /,
    what: ({ words }) => `the agent could not use a file of its own: ${short(words)}`,
    advice: "Look after it on evie's machine.",
  },
  {
    says: /no api key|no auth credentials|could not load credentials|missing (?:api|authentication)|must provide an api key|api key (?:is )?(?:required|missing|not set)/i,
    what: "there is no key for the provider",
    advice: `Set one up ${BY_HAND}`,
  },
  {
    statuses: [402],
    says: /insufficient[_ ](?:quota|credits?|balance|funds)|credit balance|payment[_ ]required|quota[_ ]exceeded|exceeded your (?:current|monthly) quota|usage[_ ]?limit|out of (?:budget|credits?)|requires more credits|spend(?:ing)? limit|billing_|check your plan and billing|billing (?:is )?not|account is not active/i,
    what: "the account at the provider has no credit left, or has reached its limit",
    advice: (told) =>
      whenToTry(told) ?? "Top it up, or wait until it is renewed, then send the message again.",
  },
  {
    says: /server requested \d+s retry delay/i,
    what: withStatus("the provider allows no more requests for a while"),
    advice: (told) => {
      const minutes = Math.ceil(Number(/requested (\d+)s/i.exec(told)?.[1] ?? 60) / 60);
      return `Send the message again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
    },
  },
  {
    says: /rate[_ -]?limit|too many requests|throttl|resource_?exhausted|requests per (?:minute|day)/i,
    what: withStatus("the provider allows no more requests for the moment"),
    advice: (told) => whenToTry(told) ?? LATER,
  },
  {
    says: /content[_ ](?:filter|policy|management)|provider stopped with: (?:sensitive|guardrail|content)|guardrail|prohibited_content|blocklist|\bspii\b|\bsafety\b|recitation|responsible ai|data_inspection|moderation|\bflagged\b|content_filtered|cyber_policy/i,
    what: "the provider's filter for content stopped the answer",
    advice: `Ask in other words, or ${NEW_SESSION}.`,
  },
  {
    says: /\brefusal\b|model refused/i,
    what: ({ words }) =>
      words === "" || /model refused/i.test(words) ? "it refused" : `it refused: ${short(words)}`,
    advice: `Ask in other words, or ${NEW_SESSION}.`,
  },
  {
    statuses: [413],
    says: /prompt(?: is)? too long|(?:prompt|input|context).{0,60}(?:exceeds?|too (?:long|large)|longer than|greater than|maximum)|context[_ ](?:length|window)|maximum (?:context|prompt) length|request_too_large|too many (?:input )?tokens|token[_ ]?(?:count|limit).{0,40}exceed|exceeded model token limit|reduce the length|exceeds the (?:available context size|limit of \d)|range of input length/i,
    what: "this conversation is too long for the model",
    advice: capital(`${NEW_SESSION}, or ask with less text and fewer pictures.`),
  },
  {
    says: /could not process image|image (?:exceeds|too large|format|dimensions)|(?:invalid|unsupported|bad)[^.]{0,30}(?:image|media.?type)|image.{0,40}(?:not supported|not valid|invalid|exceed|too large)|(?:not|n't) support image/i,
    what: "the provider could not use a picture of this session",
    advice: `Send it smaller, as JPEG or PNG. If this goes on, ${NEW_SESSION}.`,
  },
  {
    says: /not support tool|support tool use|tool (?:use|calling) is not/i,
    what: "the model cannot use tools, which the agent needs",
    advice: `Choose another one ${BY_HAND}`,
  },
  {
    says: /model[^.]{0,80}(?:not[_ ]found|not exist|unknown|decommissioned|no longer|is not (?:available|valid|found)|does not have)|models?\/\S+ is not found|unknown model|invalid model|no endpoints found for|model identifier is invalid|not a valid model|no such model|not_found_error\b[^]*\bmodel\b|model_not_found|deployment.{0,40}not exist/i,
    what: ({ words }) => `the provider does not know the model${modelIn(words)}`,
    advice: `Choose another one ${BY_HAND}`,
  },
  {
    statuses: [407],
    says: /proxy (?:authentication|connection|tunnel)|tunneling socket/i,
    what: "the proxy of evie's machine let nothing through",
    advice: "Check its address and its password.",
  },
  {
    says: /authentication[_ ]error|unauthori[sz]ed|(?:invalid|incorrect|expired|wrong|bad)[^.]{0,30}(?:api[-_ ]?key|x-api-key|credentials|access token)|api[-_ ]?key[^.]{0,30}(?:invalid|not valid|expired|disabled|revoked)|api_key_invalid|unrecognizedclient|security token[^.]{0,40}(?:invalid|expired)|expiredtoken|token (?:has |is )?(?:expired|invalid|revoked)|invalid_grant|user not found|invalid_api_key|authentication (?:failed|required)|unauthenticated|failed to refresh|signature.{0,30}does not match/i,
    what: withStatus("the provider did not accept the key"),
    advice: `Check it ${BY_HAND}`,
  },
  {
    says: /permission[_ ](?:error|denied)|access[_ ]?denied|accessdenied|\bforbidden\b|unsupported_country|country.{0,40}not supported|location is not supported|(?:do|does) not have (?:access|permission)|not authorized|request was blocked/i,
    what: withStatus("the provider refused access"),
    advice: "Check at the provider what the account may use, and from where.",
  },
  {
    says: /overloaded|server_busy|servers? (?:is |are )?(?:currently )?busy|high demand|at capacity|\bunavailable\b|resource exhausted|model is loading|not ready/i,
    what: withStatus("the provider is overloaded"),
    advice: LATER,
  },
  {
    says: /certificate|self[- ]signed|\bCERT_|ERR_TLS|EPROTO|ssl routines|wrong version number|handshake failure/i,
    what: "the provider's certificate cannot be trusted",
    advice:
      "Check the clock of evie's machine, and what stands between it and the provider. The certificate of a proxy of your own belongs into NODE_EXTRA_CA_CERTS.",
  },
  {
    says: /ENOTFOUND|EAI_AGAIN|getaddrinfo/i,
    what: ({ words }) => `the provider's address was not found${addressIn(words)}`,
    advice: NETWORK,
  },
  {
    says: /ECONNREFUSED|connection refused/i,
    what: ({ words }) => `nothing answers at the provider's address${addressIn(words)}`,
    advice: "Check that it runs there, then send the message again.",
  },
  {
    says: /ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL/i,
    what: "evie's machine has no way to the provider",
    advice: NETWORK,
  },
  {
    statuses: [408, 504, 524],
    says: /timed? ?out|timeout|deadline.?exceeded/i,
    what: withStatus("the provider did not answer in time"),
    advice: LATER,
  },
  {
    says: /malformed (?:server-sent|sse)|could not parse|unexpected (?:token|end of json)|not valid json|malformed_function_call|no body\b(?! *\))/i,
    what: "the provider sent something that is not an answer",
    advice: "Send the message again. If this goes on, check the model's address.",
  },
  {
    says: /ECONNRESET|EPIPE|ECONNABORTED|socket hang up|other side closed|connection (?:error|closed|lost|reset)|fetch failed|network.?error|\bterminated\b|ended (?:before|without)|premature|stream (?:was |has been )?(?:disconnected|interrupted|cancell?ed)|websocket.?(?:closed|error)|upstream/i,
    what: "the connection to the provider broke off",
    advice: "Send the message again.",
  },
  {
    says: /finish_reason|stopped with|response incomplete/i,
    what: ({ words }) => `it stopped early (${short(words.split(": ").at(-1) ?? words).toLowerCase()})`,
    advice: "Send the message again, or ask in other words.",
  },
  {
    says: /server_error|internal(?: server)? error|server had an error|error occurred while processing/i,
    what: withStatus("the provider's server failed"),
    advice: LATER,
  },
  { statuses: [401], what: "the provider did not accept the key (401)", advice: `Check it ${BY_HAND}` },
  {
    statuses: [403],
    what: "the provider refused access (403)",
    advice: "Check at the provider what the account may use, and from where.",
  },
  {
    statuses: [429],
    what: "the provider allows no more requests for the moment (429)",
    advice: LATER,
  },
  { statuses: [503, 529], what: withStatus("the provider is overloaded"), advice: LATER },
];

function withStatus(what: string) {
  return ({ status }: ErrorText): string => (status === undefined ? what : `${what} (${status})`);
}

/** Characters of a provider's words beside evie's own: the advice behind them must not be cut off. */
const LONGEST_OWN = 140;

export function short(words: string): string {
  return oneLine(words, LONGEST_OWN);
}

/** What the provider itself says of when to try again. */
function whenToTry(told: string): string | undefined {
  const [, when] =
    /(?:try again|retry|resets?|renews?) ((?:in|at|on|after) [^.,;()\n]{1,30}(?:\.\d+ ?m?s)?)/i.exec(told) ??
    [];
  return when === undefined ? undefined : `The provider says: try again ${when.trim()}.`;
}

function modelIn(words: string): string {
  const [, one, other] =
    /["'`“]([\w.:/@-]{2,80})["'`”]|\b(?:models?[:/]\s*|no endpoints found for )([\w.:/@-]{2,80})/i.exec(
      words,
    ) ?? [];
  const name = (one ?? other)?.replace(/[.:]$/, "");
  return name === undefined ? "" : ` “${name}”`;
}

function addressIn(words: string): string {
  const [, address] = /(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)\s+([\w.:[\]-]+\w\]?)/.exec(words) ?? [];
  return address === undefined ? "" : ` (${address})`;
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
