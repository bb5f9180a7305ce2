/** Under which names and at which port a server of this machine is reached. */
export interface OwnAddress {
  /** The port that is listened on. */
  readonly port: number;
  /**
   * Names beside those of loopback under which it is reached, each with its port where that is another. One with the port
   * of HTTPS is reached by that: something in front of the server speaks it.
   */
  readonly names?: readonly string[];
  /** Whether its pages may have come by https: where something in front of it speaks that. */
  readonly secure?: boolean;
}

/** Browsers leave the port of HTTPS out of a Host header and of an Origin. */
const HTTPS_PORT = ":443";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Whether a Host header names this server. It is parsed by its structure: a page of the internet whose name was made
 * to lead to 127.0.0.1 sends its own name, and must not get in.
 */
export function isOwnHost(host: string | undefined, { port, names = [] }: OwnAddress): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::(\d{1,5}))?$/i.exec(host ?? "");
  if (match === null) return false;
  const [whole, name = "", given = "80"] = match;
  const isAtPort = Number(given) === port;
  if (LOOPBACK.includes(name.toLowerCase())) return isAtPort;
  return names.some(
    (own) => isSameName(whole, own) || (isAtPort && isSameName(name, own)) || isHttpsName(whole, own),
  );
}

/** Returns how the address begins under which a browser reaches a server by that name: `https://` for one with port 443. */
export function baseOf(name: string): string {
  return name.endsWith(HTTPS_PORT) ? `https://${name.slice(0, -HTTPS_PORT.length)}` : `http://${name}`;
}

/**
 * Whether an Origin header is a page of this server. Without one it is not: a browser sends it with all that changes
 * something. A page of a name that is reached by HTTPS and did not come by that is of somebody who stands in between.
 */
export function isOwnOrigin(origin: string | undefined, own: OwnAddress): boolean {
  const [, scheme = "", host = ""] = /^(https?):\/\/(.+)$/i.exec(origin ?? "") ?? [];
  if (!isOwnHost(host, own)) return false;
  if (scheme.toLowerCase() === "https") return own.secure === true;
  return own.names?.some((name) => isHttpsName(host, name)) !== true;
}

/** Whether a request means this server and comes from no other page: programs send no Origin, browsers do. */
export function isOwnRequest(
  { host, origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  own: OwnAddress,
): boolean {
  return isOwnHost(host, own) && (origin === undefined || isOwnOrigin(origin, own));
}

/**
 * Returns path and query of a request's target, and undefined for every other form of one, such as `*` or the address of
 * another server. Never throws: the target is the client's word, and an error in a listener ends the process.
 */
export function targetOf(url: string | undefined): URL | undefined {
  const whole = `http://localhost${url ?? ""}`;
  return url?.startsWith("/") === true && URL.canParse(whole) ? new URL(whole) : undefined;
}

/** Tells whether a host is the name of a server that is reached by HTTPS; its port may be left out. */
function isHttpsName(host: string, own: string): boolean {
  return (
    own.endsWith(HTTPS_PORT) && [own, own.slice(0, -HTTPS_PORT.length)].some((name) => isSameName(host, name))
  );
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
