import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Chat, Message, Update, User } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { type Loose, loose, numberOf, stringOf } from "./loose.ts";

/** Milliseconds that a claim link is good for. */
export const CLAIM_TIME = 60 * 60_000;

/** Milliseconds until a link that could not be stored is tried again. */
const OFFER_AGAIN = 60_000;

/** By this the log knows a secret, wherever one should turn up. */
const PREFIX = "evie-claim-";

/** Telegram takes 64 characters of these behind `?start=`; 32 random bytes are 43 of them. */
const START = /^\/start(?:@\w+)? (evie-claim-[\w-]{43})$/;

/** Where it is kept who claimed the bot. Hashes are hexadecimal SHA-256; moments are milliseconds since 1970. */
export interface ClaimLedger {
  owner(): number | undefined;
  /** Makes the person the owner and closes every link. Durable when it returns. */
  own(userId: number, at: number): void;
  offer(secretHash: string, expiresAt: number, at: number): void;
  /** The hashes of the links that are open at `at`. */
  offers(at: number): readonly string[];
}

export interface ClaimOptions {
  /** Whether the bot may be claimed at all: it may not where others are allowed already. */
  readonly isClaimable: boolean;
  readonly ledger: ClaimLedger;
  /** Shows the link to whoever sits at the machine, and to nobody else: it holds the secret. */
  readonly announce: (link: string) => void;
  /** Called when somebody has become the owner, in their private chat. */
  readonly claimed: (userId: number) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a bot that nobody may use finds its owner: who opens the link first. */
export interface Claim {
  isOwner(userId: number): boolean;
  /** Announces a link, and a new one each time the last has expired, until somebody has claimed. Never rejects. */
  offer(username: string, stopped: AbortSignal): Promise<void>;
  /**
   * Looks at an update before anything else does, the store included: who sent the secret of an open link, in a
   * private chat, is the owner when this returns. A secret is taken out of the update, whosever it is and whether
   * it is good for anything or not. Throws when an owner cannot be stored; the update is then as it was.
   */
  admit(update: Update): void;
}

export function createClaim({ isClaimable, ledger, announce, claimed, clock, log }: ClaimOptions): Claim {
  let owner = ledger.owner();
  const found = new AbortController();

  function openLink(username: string): string {
    const secret = `${PREFIX}${randomBytes(32).toString("base64url")}`;
    const at = clock.date();
    ledger.offer(hashOf(secret).toString("hex"), at + CLAIM_TIME, at);
    return `https://t.me/${username}?start=${secret}`;
  }

  function isOpen(secret: string): boolean {
    const given = hashOf(secret);
    // All of them are compared, each in constant time.
    return ledger
      .offers(clock.date())
      .map((hash) => timingSafeEqual(given, Buffer.from(hash, "hex")))
      .includes(true);
  }

  function take(userId: number): void {
    ledger.own(userId, clock.date());
    owner = userId;
    log.info({ user: userId }, "the bot has an owner");
    found.abort();
    claimed(userId);
  }

  return {
    isOwner: (userId) => userId === owner,
    async offer(username, stopped) {
      if (!isClaimable || owner !== undefined) return;
      const over = AbortSignal.any([stopped, found.signal]);
      while (!over.aborted) {
        let pause = CLAIM_TIME;
        try {
          announce(openLink(username));
        } catch (error) {
          log.error({ err: error }, "no claim link could be made");
          pause = OFFER_AGAIN;
        }
        await clock.sleep(pause, over);
      }
    },
    admit(update) {
      const message = loose<Message>(update.message);
      const secret = START.exec(stringOf(message.text) ?? "")?.[1];
      if (secret === undefined) return;
      const userId = senderOf(message);
      if (userId !== undefined && isClaimable && owner === undefined && isOpen(secret)) take(userId);
      Object.assign(message, { text: "/start" });
    },
  };
}

/** Who wrote it in a private chat; such a chat has the person's own id. */
function senderOf(message: Loose<Message>): number | undefined {
  const { id: chatId, type } = loose<Chat>(message.chat);
  const { id, is_bot: isBot } = loose<User>(message.from);
  const passedOn = message.forward_origin ?? message.sender_chat ?? undefined;
  const isTheirs = type === "private" && isBot === false && passedOn === undefined && id === chatId;
  return isTheirs ? numberOf(id) : undefined;
}

function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
