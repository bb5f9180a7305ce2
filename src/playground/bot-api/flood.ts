/** A call that came while its chat had to rest. */
export interface FloodViolation {
  readonly method: string;
  readonly chatId: number;
  /** `clock.now`. */
  readonly at: number;
  /** The end of the rest that it broke. */
  readonly restUntil: number;
}

export interface FloodLog {
  /** Calls made inside a rest, whether the model or a fault announced it. */
  readonly violations: readonly FloodViolation[];
  /** Switches the model on or off. */
  enabled: boolean;
  /** `clock.now` at which the chat may speak again; undefined when it may. */
  restUntil(chatId: number): number | undefined;
}

export interface Flood extends FloodLog {
  /** The seconds to wait when the call is refused; undefined when it may go on. */
  admit(call: { readonly method: string; readonly chatId: number; readonly now: number }): number | undefined;
  /** A fault told the bot to be silent in this chat. */
  announce(chatId: number, now: number, retryAfter: number): void;
}

/**
 * Published (1 a second in a chat with short bursts, 20 a minute in a group, 30 a second over all) and for chat actions
 * documented (20 in 5 s). How short a burst has to be is published nowhere.
 */
const PRIVATE_BURST = 20;
const PRIVATE_PER_SECOND = 1;
const PRIVATE = { calls: 60, withinMs: 60_000 };
const GROUP = { calls: 20, withinMs: 60_000 };
const GLOBAL = { calls: 30, withinMs: 1_000 };
const ACTIONS = { calls: 20, withinMs: 5_000 };
/** The lengths of the rests are of this order in the field; hammering made them hours. */
const FIRST_REST_S = 3;
const LONGEST_REST_S = 14_400;
/** Of a token: fractions of one must not add up to a hair's breadth less than it. */
const HAIR = 1e-9;
/** So long after a rest an offence is a first one again. */
const FORGOTTEN_MS = 60_000;

interface ChatState {
  tokens: number;
  countedAt: number;
  sends: number[];
  actions: number[];
  restUntil: number;
  strikes: number;
}

/**
 * A model of Telegram's flood control. What speaks in a chat spends that chat's budget, edits and deletions as
 * much as sends; who goes beyond it rests, and who calls into the rest rests longer each time. Chat actions
 * have a budget of their own.
 */
export function createFlood(enabled: boolean): Flood {
  const chats = new Map<number, ChatState>();
  const violations: FloodViolation[] = [];
  let everywhere: number[] = [];
  let on = enabled;

  const stateOf = (chatId: number): ChatState => {
    const known = chats.get(chatId);
    if (known !== undefined) return known;
    const fresh = {
      tokens: PRIVATE_BURST,
      countedAt: 0,
      sends: [],
      actions: [],
      restUntil: -Infinity,
      strikes: 0,
    };
    chats.set(chatId, fresh);
    return fresh;
  };

  const rest = (chat: ChatState, now: number): number => {
    const seconds = Math.min(LONGEST_REST_S, FIRST_REST_S * 2 ** chat.strikes);
    chat.strikes += 1;
    chat.restUntil = Math.max(chat.restUntil, now + seconds * 1000);
    return Math.ceil((chat.restUntil - now) / 1000);
  };

  const withinBudget = (chat: ChatState, method: string, chatId: number, now: number): boolean => {
    const recent = (moments: readonly number[], withinMs: number): number[] =>
      moments.filter((at) => now - at < withinMs);
    if (method === "sendchataction") {
      chat.actions = [...recent(chat.actions, ACTIONS.withinMs), now];
      return chat.actions.length <= ACTIONS.calls;
    }
    everywhere = [...recent(everywhere, GLOBAL.withinMs), now];
    if (everywhere.length > GLOBAL.calls) return false;
    if (chatId < 0) {
      chat.sends = [...recent(chat.sends, GROUP.withinMs), now];
      return chat.sends.length <= GROUP.calls;
    }
    chat.sends = [...recent(chat.sends, PRIVATE.withinMs), now];
    if (chat.sends.length > PRIVATE.calls) return false;
    const earned = ((now - chat.countedAt) / 1000) * PRIVATE_PER_SECOND;
    chat.tokens = Math.min(PRIVATE_BURST, chat.tokens + earned);
    chat.countedAt = now;
    if (chat.tokens < 1 - HAIR) return false;
    chat.tokens -= 1;
    return true;
  };

  return {
    violations,
    get enabled() {
      return on;
    },
    set enabled(value) {
      on = value;
    },
    restUntil: (chatId) => chats.get(chatId)?.restUntil,
    admit({ method, chatId, now }) {
      if (!speaks(method)) return undefined;
      const chat = stateOf(chatId);
      if (now < chat.restUntil) {
        violations.push({ method, chatId, at: now, restUntil: chat.restUntil });
        return on ? rest(chat, now) : undefined;
      }
      if (!on) return undefined;
      if (now - chat.restUntil >= FORGOTTEN_MS) chat.strikes = 0;
      return withinBudget(chat, method.toLowerCase(), chatId, now) ? undefined : rest(chat, now);
    },
    announce(chatId, now, retryAfter) {
      const chat = stateOf(chatId);
      chat.restUntil = Math.max(chat.restUntil, now + retryAfter * 1000);
    },
  };
}

function speaks(method: string): boolean {
  return /^(send|edit|delete(message|messages)$|setmessagereaction|copy|forward|pin)/i.test(method);
}
