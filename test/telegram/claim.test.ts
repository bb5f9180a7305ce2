import { createHash } from "node:crypto";
import type { Update } from "grammy/types";
import { describe, expect, test } from "vitest";
import { CLAIM_TIME, createClaim } from "../../src/telegram/claim.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";

function createLedger() {
  let owner: number | undefined;
  return {
    owner: () => owner,
    own(userId: number) {
      owner = userId;
    },
  };
}

function setUp({ isClaimable = true, ledger = createLedger(), clock = createFakeClock() } = {}) {
  const log = createMemoryLog();
  const links: string[] = [];
  /** What can be read now. */
  const board: string[] = [];
  const owners: number[] = [];
  const claim = createClaim({
    isClaimable,
    ledger,
    board: {
      show(link) {
        links.push(link);
        board.splice(0, Infinity, link);
      },
      withdraw: () => void board.splice(0),
    },
    claimed: (userId) => owners.push(userId),
    clock,
    log,
  });
  const secretOf = (link = ""): string => new URL(link).searchParams.get("start") ?? "";
  return { claim, ledger, clock, log, links, board, owners, secret: () => secretOf(links.at(-1)) };
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

  test("is nowhere in the log", async () => {
    const { log, secret, claim } = await offered();
    claim.admit(update({ text: `/start ${secret()}` }));
    expect(log.lines).not.toEqual([]);
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

  test("closes when the next evie shows another", async () => {
    const { ledger, clock, secret } = await offered();
    const again = setUp({ ledger, clock });
    void again.claim.offer("evie_bot", new AbortController().signal);
    again.claim.admit(update({ text: `/start ${secret()}` }));
    expect(again.owners).toEqual([]);
    again.claim.admit(update({ text: `/start ${again.secret()}` }));
    expect(again.owners).toEqual([7]);
  });

  test.each([
    { how: "the date is set back a day", nowMs: CLAIM_TIME, dateMs: -24 * 3_600_000 },
    { how: "the machine slept, in which only the date went on", nowMs: 1_000, dateMs: CLAIM_TIME },
  ])("closes after an hour by either clock: $how", async ({ nowMs, dateMs }) => {
    const clock = createFakeClock();
    const shift = { now: 0, date: 0 };
    const moved = { ...clock, now: () => clock.now() + shift.now, date: () => clock.date() + shift.date };
    const rig = setUp({ clock: moved });
    void rig.claim.offer("evie_bot", new AbortController().signal);
    await clock.settle();
    Object.assign(shift, { now: nowMs, date: dateMs });
    rig.claim.admit(update({ text: `/start ${rig.secret()}` }));
    expect(rig.owners).toEqual([]);
  });

  test("can be read nowhere any more once somebody has claimed, or evie has ended", async () => {
    const claimed = await offered();
    expect(claimed.board).toEqual(claimed.links);
    claimed.claim.admit(update({ text: `/start ${claimed.secret()}` }));
    await claimed.clock.settle();
    expect(claimed.board).toEqual([]);

    const other = setUp();
    other.board.push("a link of an evie that was killed");
    const ending = new AbortController();
    const offering = other.claim.offer("evie_bot", ending.signal);
    expect(other.board).toEqual(other.links);
    ending.abort();
    await offering;
    expect(other.board).toEqual([]);
  });
});

const secretOf = (letter: string): string => `evie-claim-${letter.repeat(43)}`;

/** A key to the deck: people answer the message that brought it, and pass it on. */
const deckKeyOf = (letter: string): string => `evie-deck-${letter.repeat(43)}`;

describe.each([
  ["the secret of any claim link", secretOf],
  ["a key to the deck", deckKeyOf],
])("%s", (_, makeSecret) => {
  test.each<{ where: string; message: (secret: string) => object }>([
    { where: "in a sentence", message: (secret) => ({ text: `try ${secret}!` }) },
    { where: "in the whole link", message: (secret) => ({ text: `https://t.me/evie_bot?start=${secret}` }) },
    { where: "percent-encoded", message: (secret) => ({ text: secret.replaceAll("-", "%2D") }) },
    { where: "in capitals", message: (secret) => ({ text: `/START ${secret.toUpperCase()}` }) },
    { where: "with more behind it", message: (secret) => ({ text: `/start ${secret} please` }) },
    { where: "cut in half", message: (secret) => ({ text: secret.slice(0, 40) }) },
    { where: "in a caption", message: (secret) => ({ text: undefined, caption: secret }) },
    {
      where: "behind words, as a link",
      message: (secret) => ({
        text: "here",
        entities: [{ type: "text_link", offset: 0, length: 4, url: `tg://resolve?domain=e&start=${secret}` }],
      }),
    },
    { where: "in a quote", message: (secret) => ({ text: "this?", quote: { text: secret, position: 0 } }) },
    {
      where: "in the message replied to",
      message: (secret) => ({ text: "a", reply_to_message: { text: secret } }),
    },
    { where: "as a file's name", message: (secret) => ({ document: { file_id: "d", file_name: secret } }) },
  ])("is blotted out of what is kept, $where, and every text keeps its length", ({ message }) => {
    const { claim } = setUp();
    const given = update({ more: message(makeSecret("Q")) });
    const before = JSON.stringify(given);
    claim.admit(given);
    const kept = JSON.stringify(given);
    expect(kept).not.toMatch(/evie(-|%2d)(claim|deck)|q{8}/i);
    expect(kept).toHaveLength(before.length);
  });

  test("is blotted out of edits and presses as well", () => {
    const { claim } = setUp();
    const { message } = update({ text: makeSecret("Q") });
    for (const fields of [
      { edited_message: message },
      { callback_query: { data: makeSecret("Q"), message } },
    ]) {
      const given = { update_id: 2, ...structuredClone(fields) } as Update;
      claim.admit(given);
      expect(JSON.stringify(given)).not.toContain("Q");
    }
  });
});

describe("when the disk fails", () => {
  test("a link that cannot be shown is tried again a minute later", async () => {
    let full = true;
    const links: string[] = [];
    const clock = createFakeClock();
    const log = createMemoryLog();
    const claim = createClaim({
      isClaimable: true,
      ledger: createLedger(),
      board: {
        show(link) {
          if (full) throw new Error("disk is full");
          links.push(link);
        },
        withdraw: () => undefined,
      },
      claimed: () => undefined,
      clock,
      log,
    });
    void claim.offer("evie_bot", new AbortController().signal);
    await clock.settle();
    expect(log.messages("error")).toEqual(["no claim link could be shown"]);
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
