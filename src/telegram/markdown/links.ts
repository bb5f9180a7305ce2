/** The longest URL that a link may have. Telegram documents no limit; browsers and proxies begin to refuse here. */
const longestUrl = 2048;

/** Data in an address says nothing to a reader, and a picture's would fill eight messages. */
const longestData = 60;

/** What becomes of a link: something to tap, or text with its target behind it. */
export type Target =
  { readonly type: "link"; readonly url: string } | { readonly type: "text"; readonly shown: string };

/**
 * What Telegram takes for a link: a host with a dot, a port that exists. For one link that it does not take, it refuses
 * a whole message. What is none to Telegram is text: mail addresses and telephone numbers, which it finds itself, and
 * hosts of templates, which lead nowhere. A section of the same text is not shown.
 */
export function linkTarget(url: string): Target {
  const link = linkable(url);
  if (link !== undefined) return { type: "link", url: link };
  if (url.startsWith("#")) return { type: "text", shown: "" };
  const shown = url.replace(/^(?:mailto|tel):/i, "");
  const isData = /^data:/i.test(url) && url.length > longestData;
  return { type: "text", shown: isData ? `${shown.slice(0, longestData)}…` : shown };
}

const telegramUrl = /^tg:(?:\/\/)?[a-z0-9_-]+(?:[/?#][!-~]*)?$/i;

const webUrl =
  /^https?:\/\/(?:[^\s/?#@\\]*@)?(?<host>[^\s/?#@:[\]\\]+|\[[0-9a-f:.]+\])(?::(?<port>\d{1,5}))?(?:[/?#].*)?$/isu;

function linkable(url: string): string | undefined {
  if (telegramUrl.test(url)) return url.length <= longestUrl ? url : undefined;
  const whole = /^www\./i.test(url) ? `http://${url}` : url;
  const groups = webUrl.exec(whole)?.groups;
  const parsed = groups === undefined ? null : URL.parse(whole);
  if (parsed === null || groups?.["host"] === undefined) return undefined;
  // What was written must have a dot, too: a browser reads `http://1` as 0.0.0.1.
  if (!isHost(parsed.hostname) || !/[.:]|[^\p{ASCII}]/u.test(groups["host"])) return undefined;
  if (groups["port"] !== undefined && Number(groups["port"]) === 0) return undefined;
  const link = /^[!-~]+$/.test(whole) ? whole : parsed.href;
  return link.length <= longestUrl ? link : undefined;
}

/** Names and numbers with a dot. IPv6 addresses stand in brackets. */
function isHost(host: string): boolean {
  return /^(?:[a-z0-9_-]+\.)+[a-z0-9_-]+\.?$/i.test(host) || host.startsWith("[");
}

/** Tells whether a link's words hold its target already, be it without the scheme. */
export function saysTarget(words: string, target: string): boolean {
  const bare = target.replace(/^https?:\/\//i, "");
  return bare !== "" && words.includes(bare);
}
