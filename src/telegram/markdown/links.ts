/** The longest URL that a link may have. Telegram documents no limit; browsers and proxies begin to refuse here. */
const longestUrl = 2048;

const longestShown = 200;

/** What becomes of a link: something to tap, or text with or without its target behind it. */
export type Target =
  { readonly type: "link"; readonly url: string } | { readonly type: "text"; readonly shown: string };

/** Telegram links only some schemes, and no host without a dot: such a link would be dropped without a word. */
export function linkTarget(url: string): Target {
  const parsed = URL.parse(url);
  if (parsed !== null && url.length <= longestUrl && isLinkable(parsed)) {
    return { type: "link", url: /^[\u0021-\u007e]+$/.test(url) ? url : parsed.href };
  }
  const visible = !url.startsWith("#") && url.length <= longestShown;
  return { type: "text", shown: visible ? url : "" };
}

function isLinkable(url: URL): boolean {
  switch (url.protocol) {
    case "http:":
    case "https:":
      return /[^.]\.[^.]/.test(url.hostname);
    case "mailto:":
      return url.pathname.includes("@");
    case "tg:":
      return true;
    default:
      return false;
  }
}
