import type { SessionInfo, WireMessage } from "../domain/wire.ts";

/** Messages before a key, and the key to go on with. */
export interface OlderMessages {
  readonly messages: readonly WireMessage[];
  readonly before?: string;
}

/** What the deck asks for by HTTP. Rejects with an Error whose message is a sentence for the person. */
export interface Api {
  older(sessionId: string, before: string): Promise<OlderMessages>;
  /** A message whole. */
  message(sessionId: string, key: string): Promise<WireMessage>;
  begin(): Promise<SessionInfo>;
  /** The file at a path of this server. */
  file(path: string): Promise<Blob>;
}

/** The API of the server that the page came from; `key` gives what lets the page in. */
export function createApi(key: () => string | undefined): Api {
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    // Nobody else is ever shown the key.
    if (!/^\/(?![/\\])/.test(path)) throw new Error("This is at another address than evie.");
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${key() ?? ""}`);
    const response = await fetch(path, { ...init, headers }).catch(() => undefined);
    if (response === undefined) throw new Error("evie does not answer. Does it still run?");
    if (response.ok) return response;
    const body = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
    throw new Error(body.error?.message ?? `evie answered with ${response.status}.`);
  };
  const ask = async (path: string, init?: RequestInit): Promise<unknown> =>
    await (await request(path, init)).json().catch(() => {
      throw new Error("The connection to evie broke. Try it once more.");
    });
  return {
    older: async (sessionId, before) =>
      (await ask(
        `/api/sessions/${encodeURIComponent(sessionId)}/messages?before=${encodeURIComponent(before)}`,
      )) as OlderMessages,
    message: async (sessionId, messageKey) =>
      (await ask(
        `/api/sessions/${encodeURIComponent(sessionId)}/messages/${encodeURIComponent(messageKey)}`,
      )) as WireMessage,
    begin: async () =>
      (await ask("/api/sessions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      })) as SessionInfo,
    file: async (path) => await (await request(path)).blob(),
  };
}
