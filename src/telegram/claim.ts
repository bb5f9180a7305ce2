import { createHash, timingSafeEqual } from "node:crypto";
import type { Chat, Message, Update, User } from "grammy/types";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import { hideSecrets, makeClaimSecret, openedSecret } from "./claim-secret.ts";
import { type Loose, loose, numberOf, stringOf } from "./loose.ts";

/** Milliseconds that a claim link is good for. */
export const CLAIM_TIME = 60 * 60_000;

/** Milliseconds until a link that could not be shown is tried again. */
const OFFER_AGAIN = 60_000;

/** Where it is kept who claimed the bot. Moments are milliseconds since 1970. */
export interface ClaimLedger {
  owner(): number | undefined;
  /** Makes the person the owner. Durable when it returns. */
  own(userId: number, at: number): void;
}

/** Where a claim link is shown to whoever sits at the machine, and to nobody else: it holds the secret. */
export interface ClaimBoard {
  /** Shows a link in place of the one before. Throws when it cannot. */
  show(link: string): void;
  /** Takes the link away, as far as that is possible. Never throws. */
  withdraw(): void;
}

export interface ClaimOptions {
  /** Whether the bot may be claimed at all: it may not where others are allowed already, nor where its owner is unknown. */
  readonly isClaimable: boolean;
  readonly ledger: ClaimLedger;
  readonly board: ClaimBoard;
  /** Called when somebody has become the owner, in their private chat. */
  readonly claimed: (userId: number) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a bot that nobody may use finds its owner: who opens the link first. */
export interface Claim {
  isOwner(userId: number): boolean;
  /**
   * Shows a link, and a new one each time the last has expired, until somebody has claimed. A new link closes the one
   * before, and all of them close with evie's end. Never rejects.
   */
  offer(username: string, stopped: AbortSignal): Promise<void>;
  /**
   * Looks at an update before anything else does, the store included: who sent the secret of an open link, in a
   * private chat, is the owner when this returns. Secrets, and keys to the deck, are taken out of the update, whosever they are and whether
   * they are good for anything or not. Throws when an owner cannot be stored; the update is then as it was.
   */
  admit(update: Update): void;
}

interface OpenLink {
  readonly hash: Buffer;
  /** Until when it is open, by either clock: one that is set back must not keep it open, nor one that stands still in sleep. */
  readonly untilNow: number;
  readonly untilDate: number;
}

export function createClaim({ isClaimable, ledger, board, claimed, clock, log }: ClaimOptions): Claim {
  let owner = ledger.owner();
  let link: OpenLink | undefined;
  const found = new AbortController();

  function openLink(username: string): string {
    const secret = makeClaimSecret();
    link = {
      hash: hashOf(secret),
      untilNow: clock.now() + CLAIM_TIME,
      untilDate: clock.date() + CLAIM_TIME,
    };
    return `https://t.me/${username}?start=${secret}`;
  }

  function isOpen(secret: string): boolean {
    if (link === undefined || clock.now() >= link.untilNow || clock.date() >= link.untilDate) return false;
    return timingSafeEqual(hashOf(secret), link.hash);
  }

  function take(userId: number): void {
    ledger.own(userId, clock.date());
    owner = userId;
    link = undefined;
    log.info({ user: userId }, "the bot has an owner");
    found.abort();
    claimed(userId);
  }

  return {
    isOwner: (userId) => userId === owner,
    async offer(username, stopped) {
      // One that an evie before this one could not take away.
      board.withdraw();
      if (!isClaimable || owner !== undefined) return;
      const over = AbortSignal.any([stopped, found.signal]);
      while (!over.aborted) {
        let pause = CLAIM_TIME;
        try {
          board.show(openLink(username));
        } catch (error) {
          log.error({ err: error }, "no claim link could be shown");
          pause = OFFER_AGAIN;
        }
        await clock.sleep(pause, over);
      }
      board.withdraw();
    },
    admit(update) {
      const message = loose<Message>(update.message);
      const secret = openedSecret(stringOf(message.text) ?? "");
      if (secret !== undefined) {
        const userId = senderOf(message);
        if (userId !== undefined && isClaimable && owner === undefined && isOpen(secret)) take(userId);
        Object.assign(message, { text: "/start" });
      }
      hideSecrets(update);
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
