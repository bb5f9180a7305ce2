import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGuard } from "../../src/http/guard.ts";
import { createKeys, type KeyLedger } from "../../src/http/keys.ts";
import { keepToken } from "../../src/http/token.ts";

/** Keeps the salts of keys as long as the test lives. */
function ledger(): KeyLedger & { readonly all: Map<number, string> } {
  const all = new Map<number, string>();
  return { all, salts: () => all, keep: (userId, salt) => void all.set(userId, salt) };
}

const keys = createKeys({ token: "secret", ledger: ledger() });
const allowed = new Set([7]);
const common = { token: "secret", keys, isAllowed: (userId: number) => allowed.has(userId) };
const guard = createGuard({
  ...common,
  port: () => 3843,
  names: ["evie.example", "proxied.example:8443", "safe.example:443"],
});

describe("a host", () => {
  test.each([
    ["127.0.0.1:3843", true],
    ["localhost:3843", true],
    ["LOCALHOST:3843", true],
    ["[::1]:3843", true],
    ["evie.example:3843", true],
    ["evie.example", true],
    ["proxied.example:8443", true],
    ["proxied.example:3843", false],
    ["safe.example", true],
    ["Safe.Example:443", true],
    ["safe.example:3843", false],
    ["safe.example:80", false],
    ["127.0.0.1", false],
    ["127.0.0.1:3844", false],
    ["localhost", false],
    ["evil.example:3843", false],
    ["127.0.0.1.evil.example:3843", false],
    ["127.0.0.1:3843.evil.example", false],
    ["evil.example@127.0.0.1:3843", false],
    ["127.0.0.1:3843@evil.example", false],
    ["127.0.0.1:03843x", false],
    ["[::1", false],
    ["[::2]:3843", false],
    ["0.0.0.0:3843", false],
    ["2130706433:3843", false],
    ["", false],
    [undefined, false],
  ])("%j is this server's own: %s", (host, own) => {
    expect(guard.isOwnHost(host)).toBe(own);
  });

  test("without a port is that of HTTP", () => {
    const plain = createGuard({ ...common, port: () => 80, names: [] });
    expect([plain.isOwnHost("localhost"), plain.isOwnHost("localhost:80")]).toEqual([true, true]);
  });
});

describe("an origin", () => {
  test.each([
    ["http://127.0.0.1:3843", true],
    ["http://localhost:3843", true],
    ["https://evie.example", true],
    ["https://safe.example", true],
    ["https://safe.example:443", true],
    ["http://safe.example", false],
    ["http://safe.example:443", false],
    ["http://127.0.0.1:3844", false],
    ["http://evil.example:3843", false],
    ["http://evil.example", false],
    ["file://", false],
    ["null", false],
    ["", false],
    [undefined, false],
  ])("%j is this server's own: %s", (origin, own) => {
    expect(guard.isOwnOrigin(origin)).toBe(own);
  });
});

describe("somebody", () => {
  const [own, foreign] = [keys.keyOf(7), keys.keyOf(8)];

  test.each<[string, Readonly<Record<string, string>>, boolean]>([
    ["the token", { authorization: "Bearer secret" }, true],
    ["the token, spaced", { authorization: "bearer  secret" }, true],
    ["a wrong token", { authorization: "Bearer wrong" }, false],
    ["another scheme", { authorization: "Basic secret" }, false],
    ["the machine's key", { authorization: `Bearer ${keys.machine}` }, true],
    ["a key of their own", { authorization: `Bearer ${own}` }, true],
    ["a key of somebody who is not allowed", { authorization: `Bearer ${foreign}` }, false],
    ["a part of a key", { authorization: `Bearer ${own.slice(0, -1)}` }, false],
    ["the deck's protocol and a key", { "sec-websocket-protocol": `evie, ${own}` }, true],
    ["the deck's protocol and the token", { "sec-websocket-protocol": "evie,secret" }, true],
    ["the deck's protocol and no key", { "sec-websocket-protocol": "evie" }, false],
    ["the deck's protocol and a wrong key", { "sec-websocket-protocol": "evie, evie-deck-x" }, false],
    ["a key beside another protocol", { "sec-websocket-protocol": `chat, ${own}` }, false],
    ["a cookie that holds it all", { cookie: `evie_3843=${own}; key=secret` }, false],
    ["nothing", {}, false],
  ])("with %s is let in: %s", (_, headers, isIn) => {
    expect(guard.visitorOf(headers) !== undefined).toBe(isIn);
  });

  test("is welcome until they are taken off the list", () => {
    allowed.add(9);
    const visitor = guard.visitorOf({ authorization: `Bearer ${keys.keyOf(9)}` });
    expect(visitor?.isWelcome()).toBe(true);
    allowed.delete(9);
    expect(visitor?.isWelcome()).toBe(false);
    expect(guard.visitorOf({ authorization: `Bearer ${keys.keyOf(9)}` })).toBeUndefined();
  });
});

describe("the keys of browsers", () => {
  test("are other ones for each person, the same at each asking and after a restart, and not the token", () => {
    const kept = ledger();
    const first = createKeys({ token: "secret", ledger: kept });
    const all = [first.machine, first.keyOf(1), first.keyOf(2)];
    expect(new Set(all).size).toBe(3);
    for (const key of all) expect(key).toMatch(/^evie-deck-[\w-]{43}$/);
    const next = createKeys({ token: "secret", ledger: kept });
    expect([next.machine, next.keyOf(1), next.keyOf(2)]).toEqual(all);
    expect(all.map((key) => next.ownerOf(key))).toEqual(["machine", 1, 2]);
    expect([...kept.all.values()].some((salt) => all.some((key) => key.includes(salt)))).toBe(false);
  });

  test("end with the salt of their person, for good: whoever is let in again gets another one", () => {
    const kept = ledger();
    const old = createKeys({ token: "secret", ledger: kept }).keyOf(1);
    kept.all.delete(1);
    const next = createKeys({ token: "secret", ledger: kept });
    expect(next.ownerOf(old)).toBeUndefined();
    expect(next.keyOf(1)).not.toBe(old);
    expect(next.ownerOf(old)).toBeUndefined();
  });

  test("end all together with the token", () => {
    const kept = ledger();
    const old = createKeys({ token: "secret", ledger: kept });
    const next = createKeys({ token: "another", ledger: kept });
    expect([old.machine, old.keyOf(1)].map((key) => next.ownerOf(key))).toEqual([undefined, undefined]);
  });
});

describe("the token", () => {
  function inFolder(run: (path: string) => void): void {
    const folder = mkdtempSync(join(tmpdir(), "evie-token-"));
    try {
      run(join(folder, "http-token"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  test("is made once, long, and readable for its owner alone", () => {
    inFolder((path) => {
      const token = keepToken(path);
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(keepToken(path)).toBe(token);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });
  });

  test("is closed to others again when somebody opened its file", () => {
    inFolder((path) => {
      keepToken(path);
      chmodSync(path, 0o644);
      keepToken(path);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });
  });

  test.each(["", "short", "with spaces in it, which is no token of ours at all"])(
    "is made anew where the file holds %j",
    (text) => {
      inFolder((path) => {
        writeFileSync(path, text);
        const token = keepToken(path);
        expect(token).not.toBe(text);
        expect(readFileSync(path, "utf8").trim()).toBe(token);
      });
    },
  );
});
