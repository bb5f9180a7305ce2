import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import process from "node:process";
import { createHttpAgent, createHttpsAgent, createProxyAgent } from "./connections/agents.ts";
import { isSocks, shownAddress, wayTo } from "./connections/proxy.ts";
import type { Log } from "./domain/log.ts";
import { ATTEMPT_TIMEOUT } from "./telegram/transport.ts";

// Not imported: for an import Node reads every export of these, and some load its `fetch`, 10 MB that nothing here uses.
const http = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

export interface ConnectionsOptions {
  /** With what EVIE_HOME/.env adds to it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly apiRoot: string;
  readonly log: Log;
}

/**
 * Sets how this process connects: how long each address of a host is tried, and through which proxy Telegram is reached.
 * Says in one line which proxy is used, or why one that is set is not. Its password is not logged.
 */
export async function setUpConnections({ env, apiRoot, log }: ConnectionsOptions): Promise<void> {
  // Also for connections to a proxy, which take no options of a request.
  setDefaultAutoSelectFamilyAttemptTimeout(ATTEMPT_TIMEOUT);
  http.globalAgent = createHttpAgent();
  https.globalAgent = createHttpsAgent();

  const way = wayTo(apiRoot, env);
  switch (way.type) {
    case "straight":
      return;
    case "exempt":
      log.info({}, `${way.variable} is not used: ${way.because}`);
      return;
    case "unusable":
      log.error(
        {},
        `${way.variable} cannot be used, and Telegram is asked without it. Write it as http://host:port or socks5h://host:port`,
      );
      return;
    case "proxy": {
      const { variable, proxy } = way;
      if (!isSocks(proxy) && !canTunnel()) {
        log.warn({}, `${variable} is not used: this Node cannot follow it. Update Node to 24.5 or newer`);
        return;
      }
      https.globalAgent = await createProxyAgent(proxy);
      log.info({}, `Telegram is reached through ${variable} (${shownAddress(proxy)})`);
    }
  }
}

/** Node's agents know proxies from 24.5 on, and this flag came with them. */
function canTunnel(): boolean {
  return process.allowedNodeEnvironmentFlags.has("--use-env-proxy");
}
