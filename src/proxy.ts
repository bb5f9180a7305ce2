import http from "node:http";
import type { Log } from "./domain/log.ts";

const NAMES = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] as const;

/**
 * Lets every https request of this process go through the proxy that `HTTPS_PROXY` names, but for the hosts of
 * `NO_PROXY`. Plain http is left alone: it is for a Bot API server and a playground of one's own. The address may hold a
 * password and is not logged.
 */
export function useProxy(env: Readonly<Record<string, string | undefined>>, log: Log): void {
  const proxied = Object.fromEntries(
    NAMES.flatMap((name) => (env[name] === undefined || env[name] === "" ? [] : [[name, env[name]]])),
  );
  if (proxied["HTTPS_PROXY"] === undefined && proxied["https_proxy"] === undefined) return;
  // Nodes of before 24.14 do not have it, whatever the types say.
  if (!("setGlobalProxyFromEnv" in http)) {
    log.warn(
      {},
      "HTTPS_PROXY is set and this Node cannot follow it by itself: start evie with NODE_USE_ENV_PROXY=1",
    );
    return;
  }
  try {
    http.setGlobalProxyFromEnv(proxied);
    log.info({}, "Telegram is reached through HTTPS_PROXY");
  } catch (error) {
    // The message of the cause could hold the address.
    const kind = error instanceof Error ? error.name : "unknown";
    log.error({ kind }, "HTTPS_PROXY cannot be used. Write it as http://host:port");
  }
}
