declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Names one conversation with one agent process. Opaque to every face. */
export type SessionId = Branded<"SessionId">;

/** Names one turn. Whatever comes late compares this, never a flag that says "busy". */
export type TurnId = Branded<"TurnId">;

/** Names a place in Telegram where people write: a chat, or one thread of it. `"<chat>"` or `"<chat>:<thread>"`. */
export type ChatKey = Branded<"ChatKey">;

/** A chat and, where Telegram has them, the thread inside it. */
export interface ChatPlace {
  readonly chatId: number;
  readonly threadId?: number;
}

/** A session id; begins and ends alphanumeric, so that it is safe as a file name. */
export function makeSessionId(): SessionId {
  return `s-${crypto.randomUUID()}` as SessionId;
}

export function parseSessionId(text: string): SessionId | undefined {
  return /^s-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? (text as SessionId) : undefined;
}

export function makeTurnId(): TurnId {
  return `t-${crypto.randomUUID()}` as TurnId;
}

export function parseTurnId(text: string): TurnId | undefined {
  return /^t-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? (text as TurnId) : undefined;
}

export function makeChatKey({ chatId, threadId }: ChatPlace): ChatKey {
  return (threadId === undefined ? `${chatId}` : `${chatId}:${threadId}`) as ChatKey;
}

/** The inverse of `makeChatKey`; undefined for a text that it never made. */
export function parseChatKey(text: string): ChatPlace | undefined {
  const match = /^(-?\d+)(?::(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const chatId = Number(match[1]);
  const place = match[2] === undefined ? { chatId } : { chatId, threadId: Number(match[2]) };
  return makeChatKey(place) === text ? place : undefined;
}
