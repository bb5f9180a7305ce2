import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGuard } from "../../src/http/guard.ts";
import { keepToken } from "../../src/http/token.ts";

const guard = createGuard({
  token: "secret",
  port: () => 3843,
  names: ["evie.example", "proxied.example:8443"],
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
    const plain = createGuard({ token: "secret", port: () => 80, names: [] });
    expect([plain.isOwnHost("localhost"), plain.isOwnHost("localhost:80")]).toEqual([true, true]);
  });
});

describe("an origin", () => {
  test.each([
    ["http://127.0.0.1:3843", true],
    ["http://localhost:3843", true],
    ["https://evie.example", true],
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
  const [cookie = ""] = guard.setCookie.split(";");

  test.each([
    [{ authorization: "Bearer secret" }, true],
    [{ authorization: "bearer  secret" }, true],
    [{ authorization: "Bearer wrong" }, false],
    [{ authorization: "Basic secret" }, false],
    [{ cookie }, true],
    [{ cookie: `a=b; ${cookie}; c=d` }, true],
    [{ cookie: "evie_3843=secret" }, false],
    [{ cookie: cookie.replace("3843", "3844") }, false],
    [{ authorization: "Bearer wrong", cookie }, false],
    [{}, false],
  ])("with %j is known: %s", (headers, known) => {
    expect(guard.isKnown(headers)).toBe(known);
  });

  test("is given a cookie that scripts and other sites cannot use, and that is not the token", () => {
    expect(guard.setCookie).toMatch(/^evie_3843=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    expect(guard.setCookie).not.toContain("secret");
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
