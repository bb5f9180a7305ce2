import { isIPv6 } from "node:net";
import { badRequest } from "./errors.ts";

/** What a link's address is made of, as TDLib's `parse_url` takes it apart. */
interface Parts {
  readonly scheme: "http" | "https";
  readonly name: string;
  readonly host: string;
  readonly ipv6: boolean;
  /** 0 where none is given. */
  readonly port: number;
  /** Path, query and fragment; begins with a slash. */
  readonly rest: string;
}

const MAX_PORT = 65_535;

/**
 * The address that the server stores for a `text_link`, by the rules of TDLib's `LinkManager::check_link` and
 * `parse_url`. Throws its 400 for an address that it does not take: the whole call is refused for one of them.
 */
export function checkLink(url: string): string {
  const refuse = (why: string): never => {
    throw badRequest(`entity URL '${url}' is invalid: ${why}`);
  };
  const own = /^(tg|ton|tonsite):/i.exec(url)?.[1]?.toLowerCase();
  const inner = own === undefined ? url : url.slice(own.length + 1).replace(/^\/\//, "");
  const parts = takeApart(inner, refuse);
  if (own === undefined) {
    if (!parts.host.includes(".") && !parts.ipv6) refuse("Wrong HTTP URL");
    return join(parts);
  }
  const asWeb = /^http:\/\//i.test(inner) || parts.scheme === "https";
  if (asWeb || parts.name !== "" || parts.port !== 0 || parts.ipv6) {
    refuse(own === "tg" ? "Wrong tg URL" : "Wrong ton URL");
  }
  const allowed = own === "tonsite" ? /^[a-z0-9_.-]*$/ : /^[a-z0-9_-]*$/;
  if (!allowed.test(parts.host)) refuse("Unallowed characters in URL host");
  return `${own}://${parts.host}${parts.rest.replace(/^\/(?=\?)/, "")}`;
}

/** The person whom a link of Telegram's own names, which makes it a mention; undefined for every other link. */
export function mentionedUser(url: string): number | undefined {
  const query = /^tg:(?:\/\/)?user\/?\?([^#]*)/i.exec(url)?.[1];
  const given = query?.split("&").find((parameter) => /^id=/i.test(parameter));
  const id = given === undefined ? 0 : Number(given.slice(3));
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

function takeApart(url: string, refuse: (why: string) => never): Parts {
  const given = /^([^:/?#@[\]]*):\/\//.exec(url);
  const scheme = given?.[1]?.toLowerCase() ?? "http";
  if (scheme !== "http" && scheme !== "https") return refuse("Unsupported URL protocol");
  const behind = url.slice(given?.[0].length ?? 0);
  const authority = /^[^/?#]*/.exec(behind)?.[0] ?? "";
  // The last of these signs decides: a colon in an IPv6 address or in a name begins no port.
  const last = Math.max(...[":", "]", "@"].map((sign) => authority.lastIndexOf(sign)));
  const hasPort = last > 0 && authority[last] === ":";
  const port = hasPort ? readPort(authority.slice(last + 1)) : 0;
  if (port === undefined) return refuse("Wrong port number specified in the URL");
  const nameAndHost = hasPort ? authority.slice(0, last) : authority;
  const at = nameAndHost.lastIndexOf("@");
  const host = lowered(nameAndHost.slice(at + 1));
  const ipv6 = host.startsWith("[") && host.endsWith("]");
  checkHost(host, ipv6, refuse);
  return {
    scheme,
    name: at === -1 ? "" : nameAndHost.slice(0, at),
    host,
    ipv6,
    port,
    rest: readRest(behind.slice(authority.length)),
  };
}

/** Undefined for what is no port. */
function readPort(digits: string): number | undefined {
  const number = /^\d+$/.test(digits) ? Number(digits) : 0;
  return number > 0 && number <= MAX_PORT ? number : undefined;
}

function checkHost(host: string, ipv6: boolean, refuse: (why: string) => never): void {
  if (ipv6 && !isIPv6(host.slice(1, -1))) refuse("Wrong IPv6 address specified in the URL");
  if (host === "") refuse("URL host is empty");
  if (host === ".") refuse("Host is invalid");
  if (ipv6) {
    if (!/^\[[0-9a-f:.]*\]$/.test(host)) refuse("Wrong IPv6 URL host");
    return;
  }
  if (/%(?![0-9a-f]{2})/.test(host)) refuse("Wrong percent-encoded symbol in URL host");
  // What RFC 3986 has for names, and every sign that is not ASCII.
  if (!/^(?:[a-z0-9.\-_!$,~*'();&+=%]|\P{ASCII})*$/u.test(host)) refuse("Wrong URL host");
}

function readRest(behind: string): string {
  const trimmed = behind.trimEnd();
  const slashed = trimmed.startsWith("/") ? trimmed : `/${trimmed}`;
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return slashed.replace(/[\u0000-\u0020]/g, (sign) => encodeURIComponent(sign));
}

/** TDLib lowers the letters of ASCII alone. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function join({ scheme, name, host, port, rest }: Parts): string {
  return `${scheme}://${name === "" ? "" : `${name}@`}${host}${port === 0 ? "" : `:${port}`}${rest}`;
}
