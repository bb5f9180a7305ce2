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
}

/** The API of the server that the page came from. */
export function createApi(): Api {
  const ask = async (path: string, init?: RequestInit): Promise<unknown> => {
    const response = await fetch(path, init).catch(() => undefined);
    if (response === undefined) throw new Error("evie does not answer. Does it still run?");
    const body = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
    if (!response.ok) throw new Error(body.error?.message ?? `evie answered with ${response.status}.`);
    return body;
  };
  return {
    older: async (sessionId, before) =>
      (await ask(
        `/api/sessions/${encodeURIComponent(sessionId)}/messages?before=${encodeURIComponent(before)}`,
      )) as OlderMessages,
    message: async (sessionId, key) =>
      (await ask(
        `/api/sessions/${encodeURIComponent(sessionId)}/messages/${encodeURIComponent(key)}`,
      )) as WireMessage,
    begin: async () =>
      (await ask("/api/sessions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      })) as SessionInfo,
  };
}
