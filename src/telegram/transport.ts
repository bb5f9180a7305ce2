import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import process from "node:process";
import { pipeline, type Readable } from "node:stream";

/*
 * Not imported: for an import Node reads every export of these once, and some of them load its `fetch`, 10 MB that
 * nothing here uses.
 */
const http = process.getBuiltinModule("node:http");
const https = process.getBuiltinModule("node:https");

/**
 * Milliseconds that one address of a host has for a connection, before the next one is tried. Node's own are 250, which a
 * slow network exceeds at every try; 2,500 hold one packet that was lost, since it is sent again after a second.
 */
export const ATTEMPT_TIMEOUT = 2_500;
/** Passed on to the socket, as every option of a connection is. */
const CONNECTING = { autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT };

export interface Request {
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Readable;
  /** Ends the request, and its answer while that is being read. */
  readonly signal?: AbortSignal;
}

/**
 * Sends a request, and gives the answer when its head has come; whoever reads its body hears when that is cut off.
 * Redirects are not followed. Rejects with the system's error when there is no answer.
 *
 * On Node's own agents, which keep connections and know the proxy. Not `fetch`: what its first call loads stays, 13 MB,
 * and each call of it takes the processor twice as long.
 */
export function request(url: string, { body, ...options }: Request): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request: open } = url.startsWith("https:") ? https : http;
    const asked = open(url, { ...options, ...CONNECTING }, resolve);
    asked.on("error", reject);
    if (body === undefined || typeof body === "string") asked.end(body);
    else pipeline(body, asked, (error) => void (error && reject(error)));
  });
}
