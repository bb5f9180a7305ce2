import { createHash } from "node:crypto";
import type { Update } from "grammy/types";
import { describe, expect, test } from "vitest";
import { CLAIM_TIME, createClaim } from "../../src/telegram/claim.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";

function createLedger() {
  const offers: { hash: string; until: number }[] = [];
  let owner: number | undefined;
  return {
    offered: offers,
    owner: () => owner,
    own(userId: number) {
      owner = userId;
      offers.splice(0);
    },
    offer(hash: string, until: number) {
      offers.push({ hash, until });
    },
    offers: (at: number) => offers.filter(({ until }) => until > at).map(({ hash }) => hash),
  };
}

function setUp({ isClaimable = true, ledger = createLedger(), clock = createFakeClock() } = {}) {
  const log = createMemoryLog();
  const links: string[] = [];
  const owners: number[] = [];
  const claim = createClaim({
    isClaimable,
    ledger,
    announce: (link) => links.push(link),
    claimed: (userId) => owners.push(userId),
    clock,
    log,
  });
  const secretOf = (link = ""): string => new URL(link).searchParams.get("start") ?? "";
  return { claim, ledger, clock, log, links, owners, secret: () => secretOf(links.at(-1)) };
}

interface Words {
  readonly text?: string;
  readonly from?: number;
  readonly more?: object;
}

function update({ text = "/start", from = 7, more = {} }: Words): Update {
  const message = {
    message_id: 1,
    date: 0,
    chat: { id: from, type: "private", first_name: "Ada" },
    from: { id: from, is_bot: false, first_name: "Ada" },
    text,
    ...more,
  };
  return { update_id: 1, message } as Update;
}

async function offered() {
  const rig = setUp();
  void rig.claim.offer("evie_bot", new AbortController().signal);
  await rig.clock.settle();
  return rig;
}

describe("a claim link", () => {
  test("is one of Telegram's, with a secret of 256 bits that fits into its 64 characters", async () => {
    const { links, secret } = await offered();
    expect(links).toEqual([expect.stringMatching(/^https:\/\/t\.me\/evie_bot\?start=[A-Za-z0-9_-]{1,64}$/)]);
    const random = secret().replace("evie-claim-", "");
    expect(Buffer.from(random, "base64url")).toHaveLength(32);
  });

  test("is never the same twice", async () => {
    const [one, other] = [await offered(), await offered()];
    expect(one.secret()).not.toBe(other.secret());
  });

  test("is stored as a hash, and nothing of its secret is logged", async () => {
    const { ledger, log, secret, claim } = await offered();
    const hash = createHash("sha256").update(secret()).digest("hex");
    expect(ledger.offered.map((each) => each.hash)).toEqual([hash]);
    claim.admit(update({ text: `/start ${secret()}` }));
    expect(JSON.stringify(log.lines)).not.toContain(secret().slice(11));
  });

  test("makes who opens it the owner, once, and takes its secret out of the update", async () => {
    const { claim, owners, secret, ledger } = await offered();
    const opening = update({ text: `/start ${secret()}` });
    claim.admit(opening);
    expect(opening.message?.text).toBe("/start");
    expect(claim.isOwner(7)).toBe(true);
    expect(ledger.owner()).toBe(7);
    const second = update({ text: `/start ${secret()}`, from: 8 });
    claim.admit(second);
    expect(claim.isOwner(8)).toBe(false);
    expect(owners).toEqual([7]);
  });

  test("that was used, or never was one, is taken out of the update as well", async () => {
    const { claim, secret } = await offered();
    const used = secret();
    const texts = [`/start ${used}`, `/start ${used}`, `/start ${used.slice(0, -2)}xx`, `/start hello`];
    const updates = texts.map((text, index) => update({ text, from: 7 + index }));
    for (const each of updates) claim.admit(each);
    expect(updates.map(({ message }) => message?.text)).toEqual([
      "/start",
      "/start",
      "/start",
      "/start hello",
    ]);
  });

  test("takes the bot from nobody who owns it", async () => {
    const ledger = { ...createLedger(), own: () => undefined };
    const { claim, clock, owners, secret } = setUp({ ledger });
    void claim.offer("evie_bot", new AbortController().signal);
    await clock.settle();
    // The ledger forgets to close the link.
    for (const from of [7, 8]) claim.admit(update({ text: `/start ${secret()}`, from }));
    expect(owners).toEqual([7]);
  });

  test("opens nothing where others are allowed already, and none is announced there", async () => {
    const { ledger, clock, secret } = await offered();
    const again = setUp({ ledger, clock, isClaimable: false });
    await again.claim.offer("evie_bot", new AbortController().signal);
    again.claim.admit(update({ text: `/start ${secret()}` }));
    expect({ links: again.links, owners: again.owners }).toEqual({ links: [], owners: [] });
  });

  test("works when the command is addressed to the bot", async () => {
    const { claim, secret } = await offered();
    claim.admit(update({ text: `/start@evie_bot ${secret()}` }));
    expect(claim.isOwner(7)).toBe(true);
  });

  test.each<{ how: string; words: (secret: string) => Words }>([
    { how: "with another secret", words: (secret) => ({ text: `/start ${secret.slice(0, -2)}xx` }) },
    {
      how: "with the hash",
      words: (secret) => ({ text: `/start ${createHash("sha256").update(secret).digest("hex")}` }),
    },
    { how: "with more behind it", words: (secret) => ({ text: `/start ${secret} please` }) },
    { how: "without the command", words: (secret) => ({ text: secret }) },
    { how: "by another command", words: (secret) => ({ text: `/help ${secret}` }) },
    {
      how: "in a group",
      words: (secret) => ({ text: `/start ${secret}`, more: { chat: { id: -5, type: "group" } } }),
    },
    {
      how: "in somebody else's chat",
      words: (secret) => ({ text: `/start ${secret}`, more: { chat: { id: 9, type: "private" } } }),
    },
    {
      how: "by a bot",
      words: (secret) => ({ text: `/start ${secret}`, more: { from: { id: 7, is_bot: true } } }),
    },
    {
      how: "for a channel",
      words: (secret) => ({ text: `/start ${secret}`, more: { sender_chat: { id: -6 } } }),
    },
    {
      how: "as a forward",
      words: (secret) => ({ text: `/start ${secret}`, more: { forward_origin: { type: "hidden_user" } } }),
    },
    { how: "without anybody", words: (secret) => ({ text: `/start ${secret}`, more: { from: undefined } }) },
  ])("makes nobody the owner $how", async ({ words }) => {
    const { claim, owners, secret } = await offered();
    claim.admit(update(words(secret())));
    expect(claim.isOwner(7)).toBe(false);
    expect(owners).toEqual([]);
  });

  test("that comes as an edit, a button, or nothing at all does no harm", async () => {
    const { claim, owners, secret } = await offered();
    const { message } = update({ text: `/start ${secret()}` });
    for (const strange of [
      { edited_message: message },
      { callback_query: { data: secret() } },
      {},
      { message: null },
    ])
      claim.admit({ update_id: 2, ...strange } as Update);
    expect(owners).toEqual([]);
  });

  test("is good for an hour, and then a new one is announced", async () => {
    const { claim, clock, links, secret, owners } = await offered();
    const first = secret();
    await clock.advance(CLAIM_TIME - 1);
    expect(links).toHaveLength(1);
    await clock.advance(1);
    expect(links).toHaveLength(2);
    claim.admit(update({ text: `/start ${first}` }));
    expect(owners).toEqual([]);
    claim.admit(update({ text: `/start ${secret()}` }));
    expect(owners).toEqual([7]);
  });

  test("is announced no more when somebody has claimed, nor when evie ends", async () => {
    const { claim, clock, links, secret } = await offered();
    claim.admit(update({ text: `/start ${secret()}` }));
    await clock.advance(3 * CLAIM_TIME);
    expect(links).toHaveLength(1);
    expect(clock.sleepers).toBe(0);

    const other = setUp();
    const ending = new AbortController();
    const offering = other.claim.offer("evie_bot", ending.signal);
    ending.abort();
    await offering;
    await other.clock.advance(3 * CLAIM_TIME);
    expect(other.links).toHaveLength(1);
  });

  test("is not needed where there is an owner already", async () => {
    const ledger = createLedger();
    ledger.own(7);
    const { claim, links } = setUp({ ledger });
    await claim.offer("evie_bot", new AbortController().signal);
    expect(links).toEqual([]);
    expect(claim.isOwner(7)).toBe(true);
  });

  test("stays good for its hour over a restart", async () => {
    const { ledger, clock, secret } = await offered();
    const again = setUp({ ledger, clock });
    again.claim.admit(update({ text: `/start ${secret()}` }));
    expect(again.owners).toEqual([7]);
  });
});

describe("when the store fails", () => {
  test("a link is not announced, and tried again a minute later", async () => {
    const ledger = createLedger();
    let full = true;
    const offer = (hash: string, until: number): void => {
      if (full) throw new Error("disk is full");
      ledger.offer(hash, until);
    };
    const { claim, clock, links, log } = setUp({ ledger: { ...ledger, offer } });
    void claim.offer("evie_bot", new AbortController().signal);
    await clock.settle();
    expect(links).toEqual([]);
    expect(log.messages("error")).toEqual(["no claim link could be made"]);
    full = false;
    await clock.advance(60_000);
    expect(links).toHaveLength(1);
  });

  test("a claim is not taken, so that the update is fetched again", async () => {
    const ledger = createLedger();
    const own = (): never => {
      throw new Error("disk is full");
    };
    const { claim, clock, owners, secret } = setUp({ ledger: { ...ledger, own } });
    void claim.offer("evie_bot", new AbortController().signal);
    await clock.settle();
    const opening = update({ text: `/start ${secret()}` });
    expect(() => claim.admit(opening)).toThrow("disk is full");
    expect(opening.message?.text).toBe(`/start ${secret()}`);
    expect(claim.isOwner(7)).toBe(false);
    expect(owners).toEqual([]);
  });
});
