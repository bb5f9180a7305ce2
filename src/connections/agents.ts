import dns from "node:dns";
import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent, AgentOptions } from "node:https";
import { type LookupFunction, Socket } from "node:net";
import process from "node:process";
import type { Duplex } from "node:stream";
import { isSocks } from "./proxy.ts";

// Not imported: for an import Node reads every export of these, and some load its `fetch`, 10 MB that nothing here uses.
const http = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

/** As Node makes its own global agents: a connection is kept for five seconds of silence. */
const KEPT: AgentOptions = { keepAlive: true, scheduling: "lifo", timeout: 5_000 };

/**
 * Makes an agent for http that connects to the address of a host first that it reached last. Else a machine whose IPv6 is
 * dead would wait for it before each new connection.
 */
export function createHttpAgent(lookup?: LookupFunction): HttpAgent {
  return remembering(new http.Agent(KEPT), lookup);
}

/** Makes the same for https. */
export function createHttpsAgent(lookup?: LookupFunction): HttpsAgent {
  return remembering(new https.Agent(KEPT), lookup);
}

/** Makes an agent for https whose connections lead through `proxy`, by HTTP or by SOCKS as its scheme says. */
export async function createProxyAgent(proxy: URL): Promise<HttpsAgent> {
  if (!isSocks(proxy)) return new https.Agent({ ...KEPT, proxyEnv: { HTTPS_PROXY: proxy.href } });
  // Few need it, so that no other start waits for it.
  const { SocksProxyAgent } = await import("socks-proxy-agent");
  const agent = new SocksProxyAgent(proxy, KEPT);
  // By it the agent would end a poll that Telegram has nothing to answer to.
  agent.timeout = null;
  return agent;
}

function remembering<Agent extends HttpAgent>(
  agent: Agent,
  lookup: LookupFunction = (...question) => dns.lookup(...question),
): Agent {
  /** Host names with the address that answered last. */
  const reached = new Map<string, string>();
  const reachedFirst: LookupFunction = (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const last = reached.get(hostname);
      if (Array.isArray(found) && last !== undefined)
        found.sort((one, other) => Number(other.address === last) - Number(one.address === last));
      callback(error, found, family);
    });

  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback): Duplex | null | undefined => {
    const socket = connect({ ...options, lookup: reachedFirst }, callback);
    const { host } = options;
    if (socket instanceof Socket && typeof host === "string")
      socket.once("connect", () => {
        if (socket.remoteAddress !== undefined) reached.set(host, socket.remoteAddress);
      });
    return socket;
  };
  return agent;
}
