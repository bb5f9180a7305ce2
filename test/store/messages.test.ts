import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../src/domain/events.ts";
import { makeChatKey, makeSessionId, makeTurnId } from "../../src/domain/ids.ts";
import { createStoredPictures } from "../../src/store/pictures.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { png } from "../builders.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

let folder: string;
let store: Store;
const id = makeSessionId();
const other = makeSessionId();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "evie-messages-"));
  reopen();
  for (const session of [id, other])
    store.sessions.add({ id: session, cwd: "/work", face: "deck", createdAt: 1 });
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

function reopen(): void {
  store = openStore(join(folder, "evie.db"), createFakeClock()).store;
}

function message(key: string, text = key): Message {
  return { key, role: "user", at: 1, content: [{ type: "text", text }] };
}

const keys = (messages: readonly Message[]): readonly string[] => messages.map(({ key }) => key);

describe("stored messages", () => {
  test("outlive a restart, whole and in the order in which they were saved", () => {
    const image = { type: "image", mimeType: "image/png", url: "/x" } as const;
    const full: Message = { ...message("a"), content: [{ type: "text", text: "\u2028 😀" }, image] };
    store.messages.save(id, full);
    store.messages.save(id, message("b"));
    store.close();
    reopen();
    expect(store.messages.page(id, 10)).toEqual({ messages: [full, message("b")], more: false });
  });

  test("are paged from the newest back, each page before the oldest message of the last", () => {
    for (let n = 0; n < 25; n += 1) store.messages.save(id, message(`m${n}`));
    store.messages.save(other, message("m3", "of another session"));
    const newest = store.messages.page(id, 10);
    expect([keys(newest.messages).at(0), keys(newest.messages).at(-1), newest.more]).toEqual([
      "m15",
      "m24",
      true,
    ]);
    const older = store.messages.page(id, 10, "m15");
    expect([keys(older.messages).at(0), keys(older.messages).at(-1), older.more]).toEqual([
      "m5",
      "m14",
      true,
    ]);
    expect(store.messages.page(id, 10, "m5")).toMatchObject({ messages: { length: 5 }, more: false });
    expect(store.messages.page(id, 10, "unknown")).toEqual({ messages: [], more: false });
  });

  test("are paged within so many bytes, one at least, and none is left out or comes twice", () => {
    const sizes = [10, 5_000, 300, 300, 20, 9_000, 10];
    for (const [n, size] of sizes.entries()) store.messages.save(id, message(`m${n}`, "x".repeat(size)));
    const pages: (readonly string[])[] = [];
    for (let before: string | undefined, more = true; more;) {
      const page = store.messages.page(id, 10, before, 1_000);
      pages.unshift(keys(page.messages));
      ({ more } = page);
      before = page.messages[0]?.key;
    }
    expect(pages).toEqual([["m0"], ["m1"], ["m2", "m3", "m4"], ["m5"], ["m6"]]);
    expect(keys(store.messages.page(id, 2, undefined, 1_000_000).messages)).toEqual(["m5", "m6"]);
  });

  test("can be read one by one", () => {
    store.messages.save(id, message("a"));
    expect(store.messages.get(id, "a")).toEqual(message("a"));
    expect([store.messages.get(id, "b"), store.messages.get(other, "a")]).toEqual([undefined, undefined]);
  });

  test("keep their place when they are saved again", () => {
    for (const key of ["a", "b"]) store.messages.save(id, message(key));
    store.messages.save(id, message("a", "changed"));
    expect(store.messages.page(id, 10).messages).toEqual([message("a", "changed"), message("b")]);
  });

  test("can be forgotten one by one", () => {
    for (const key of ["a", "b"]) store.messages.save(id, message(key));
    store.messages.forget(id, "a");
    store.messages.forget(id, "unknown");
    expect(keys(store.messages.page(id, 10).messages)).toEqual(["b"]);
  });
});

describe("what is known of a session", () => {
  test("is noted fact by fact, and a fact that is not named stays", () => {
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: 0.5 };
    store.sessions.note(id, { name: "A plan", usage });
    store.sessions.note(id, { model: "mock-1", failed: true });
    expect(store.sessions.get(id)).toMatchObject({ name: "A plan", usage, model: "mock-1", failed: true });
    store.sessions.note(id, { failed: false });
    expect(store.sessions.get(id)?.failed).toBeUndefined();
    expect(store.sessions.get(other)?.name).toBeUndefined();
  });

  test("goes with the session, and its messages and requests too", () => {
    store.messages.save(id, message("a"));
    store.requests.add(id, "r", { turnId: makeTurnId(), body: "said", at: 1, oldest: 0 });
    store.sessions.remove(id);
    expect(store.sessions.get(id)).toBeUndefined();
    expect(store.messages.page(id, 10).messages).toEqual([]);
    expect(store.requests.get(id, "r")).toBeUndefined();
  });

  test("stays while a chat points to it", () => {
    const chat = { chatId: -5, threadId: 7 };
    store.chats.point(makeChatKey(chat), id);
    expect(store.chats.chatOf(id)).toEqual(chat);
    expect(store.chats.chatOf(other)).toBeUndefined();
    expect(() => store.sessions.remove(id)).toThrow("FOREIGN KEY");
    expect(store.sessions.get(id)).toBeDefined();
  });
});

describe("stored requests", () => {
  const turnId = makeTurnId();

  test("tell what became of their turn, over a restart", () => {
    store.requests.add(id, "r", { turnId, body: "said", at: 5, oldest: 0 });
    expect(store.requests.get(id, "r")).toEqual({ turnId, body: "said", at: 5, begun: false });
    store.requests.begin(id, "r");
    const ending = { outcome: { type: "done" }, text: "42" } as const;
    store.requests.end(id, "r", ending);
    store.close();
    reopen();
    expect(store.requests.get(id, "r")).toEqual({ turnId, body: "said", at: 5, begun: true, ending });
    expect(store.requests.get(other, "r")).toBeUndefined();
  });

  test("are forgotten once they are older than is asked for", () => {
    store.requests.add(id, "old", { turnId, body: "said", at: 5, oldest: 0 });
    store.requests.add(id, "new", { turnId, body: "said", at: 10, oldest: 6 });
    expect(store.requests.get(id, "old")).toBeUndefined();
    expect(store.requests.get(id, "new")).toBeDefined();
  });
});

describe("stored pictures", () => {
  test("stay when the file that they came from goes, and leave with their session", () => {
    const path = join(folder, "sent.png");
    writeFileSync(path, png(7));
    const pictures = createStoredPictures(join(folder, "pictures"));
    const name = pictures.keep(id, { path, mimeType: "image/png" });
    rmSync(path);
    expect(pictures.read(id, name)).toEqual({ mimeType: "image/png", bytes: new Uint8Array(png(7)) });
    expect(pictures.read(other, name)).toBeUndefined();
    pictures.drop(id);
    expect(existsSync(join(folder, "pictures", id))).toBe(false);
    expect(pictures.read(id, name)).toBeUndefined();
  });

  test.each([
    "../evie.db",
    "..",
    "",
    "a.png",
    `${crypto.randomUUID()}.svg`,
    `/etc/${crypto.randomUUID()}.png`,
  ])("are not found under the name %j", (name) => {
    const pictures = createStoredPictures(join(folder, "pictures"));
    expect(pictures.read(id, name)).toBeUndefined();
  });

  test("say so when the file cannot be kept", () => {
    const pictures = createStoredPictures(join(folder, "pictures"));
    expect(() => pictures.keep(id, { path: join(folder, "gone.png"), mimeType: "image/png" })).toThrow(
      "ENOENT",
    );
  });
});
