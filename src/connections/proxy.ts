import { BlockList, isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

/** How Telegram is reached, as the environment wants it. `variable` is the name as it is set there. */
export type Way =
  /** No proxy is named. */
  | { readonly type: "straight" }
  /** A proxy is named, and is not for Telegram's address: `because` ends the sentence that begins "it is not used:". */
  | { readonly type: "exempt"; readonly variable: string; readonly because: string }
  /** A proxy is named in a way that nobody can follow. */
  | { readonly type: "unusable"; readonly variable: string }
  | { readonly type: "proxy"; readonly variable: string; readonly proxy: URL };

const HTTP = /^https?:$/;
const SOCKS = /^socks(?:4a?|5h?)?:$/;

/**
 * Reads in `env` which proxy leads to the server at `apiRoot`, by the rules of curl: `HTTPS_PROXY`, else `ALL_PROXY`,
 * lower case before upper, an empty one counting as none, and an address without a scheme as http; none of them for the
 * hosts of `NO_PROXY`. Plain http goes straight: it is for a Bot API server of one's own.
 */
export function wayTo(apiRoot: string, env: Environment): Way {
  const target = new URL(apiRoot);
  const isPlain = target.protocol === "http:";
  const named = firstOf(env, ["https_proxy", "all_proxy"]);
  const plain = firstOf(env, ["http_proxy"]);
  const [variable, value] = named ?? plain ?? [];
  if (variable === undefined || value === undefined) return { type: "straight" };
  if (isPlain)
    return {
      type: "exempt",
      variable,
      because: `the Bot API server is asked over plain http, at ${target.host}`,
    };
  if (named === undefined)
    return {
      type: "exempt",
      variable,
      because: "Telegram is asked over https. Set HTTPS_PROXY for that",
    };
  const [noProxy, exempt] = firstOf(env, ["no_proxy"]) ?? [];
  if (noProxy !== undefined && isExempt(target, exempt ?? ""))
    return { type: "exempt", variable, because: `${noProxy} names ${target.hostname}` };
  const proxy = URL.parse(value.includes("://") ? value : `http://${value}`);
  if (proxy === null || !isUsable(proxy)) return { type: "unusable", variable };
  return { type: "proxy", variable, proxy };
}

function isUsable({ hostname, protocol, username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`);
  } catch {
    // A lonely percent sign in a password.
    return false;
  }
  return hostname !== "" && (HTTP.test(protocol) || SOCKS.test(protocol));
}

/** Tells a SOCKS proxy from one that speaks HTTP. */
export function isSocks({ protocol }: URL): boolean {
  return SOCKS.test(protocol);
}

/** The proxy's address for a person's eyes: without its user and password. */
export function shownAddress({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** The first of `names` that is set and not empty, in lower case or in upper, with its value. */
function firstOf(env: Environment, names: readonly string[]): readonly [string, string] | undefined {
  for (const name of names.flatMap((lower) => [lower, lower.toUpperCase()])) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== "") return [name, value];
  }
  return undefined;
}

/**
 * Says whether `noProxy` names the target: entries with commas or blanks between, each a host (with all below it, a dot or
 * `*.` in front or not), an address, a subnet (`10.0.0.0/8`), a range (`10.0.0.1-10.0.0.9`), one of these with a port, or `*`.
 */
function isExempt({ hostname, port, protocol }: URL, noProxy: string): boolean {
  const host = bare(hostname);
  const targetPort = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== targetPort) return false;
      return isIP(host) === 0 ? isBelow(host, bare(name)) : isAddressIn(host, bare(name));
    });
}

function isBelow(host: string, name: string): boolean {
  const domain = name.replace(/^\*?\./, "").replace(/\.$/, "");
  return domain !== "" && `.${host.replace(/\.$/, "")}`.endsWith(`.${domain}`);
}

function isAddressIn(address: string, entry: string): boolean {
  const family = familyOf(address);
  const [first = "", last] = entry.split("-");
  const [net = "", bits] = first.split("/");
  if (isIP(net) === 0 || familyOf(net) !== family) return false;
  const list = new BlockList();
  try {
    if (last !== undefined) list.addRange(net, last, family);
    else if (bits !== undefined) list.addSubnet(net, Number(bits), family);
    else list.addAddress(net, family);
  } catch {
    // A range that runs backwards, or a prefix that is too long, names nothing.
    return false;
  }
  return list.check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** An IPv6 address without its brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
