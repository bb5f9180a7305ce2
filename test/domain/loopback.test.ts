import { describe, expect, test } from "vitest";
import { isOwnHost, isOwnOrigin } from "../../src/domain/loopback.ts";

const ALONE = { port: 3844 };
const NAMED = { port: 3844, names: ["evie.example", "proxied.example:8443"], secure: true };

describe("a Host header", () => {
  test.each([
    "127.0.0.1:3844",
    "localhost:3844",
    "LocalHost:3844",
    "[::1]:3844",
    "evie.example:3844",
    "evie.example",
    "EVIE.example",
    "proxied.example:8443",
  ])("of %j is this server", (host) => {
    expect(isOwnHost(host, NAMED)).toBe(true);
  });

  test.each([
    ["is missing", undefined],
    ["is empty", ""],
    ["lacks the port", "127.0.0.1"],
    ["lacks the port of IPv6", "[::1]"],
    ["has another port", "127.0.0.1:3845"],
    ["has two ports", "127.0.0.1:03844:3844"],
    ["has more behind the port", "127.0.0.1:3844/"],
    ["has letters in the port", "127.0.0.1:03844x"],
    ["has a port that is too long", "127.0.0.1:003844"],
    ["has a port and a name behind it", "127.0.0.1:3844.evil.example"],
    ["is a name that was made to lead here", "evil.example:3844"],
    ["begins like this machine", "127.0.0.1.evil.example:3844"],
    ["begins like its name", "localhost.evil.example:3844"],
    ["ends like a configured name", "evil-evie.example:3844"],
    ["begins like a configured name", "evie.example.evil.example:3844"],
    ["is a configured name at a port of its own, with another", "proxied.example:3844"],
    ["is a configured name that has a port, without it", "proxied.example"],
    ["is a configured name at another port", "evie.example:8443"],
    ["has this machine behind a hash", "evil.example#127.0.0.1:3844"],
    ["has this machine behind a user", "user@127.0.0.1:3844"],
    ["has this machine behind another's name", "evil.example@127.0.0.1:3844"],
    ["has this machine as a user", "127.0.0.1:3844@evil.example"],
    ["has this machine as a user with a password", "localhost:3844@evil.example:3844"],
    ["has a configured name as a user", "evie.example@evil.example"],
    ["has a space in it", "127.0.0.1 :3844"],
    ["has a space before it", " 127.0.0.1:3844"],
    ["has another line", "127.0.0.1:3844\n"],
    ["has a dot at the end", "localhost.:3844"],
    ["is another address of loopback", "127.0.0.2:3844"],
    ["is any address", "0.0.0.0:3844"],
    ["is the address as a number", "2130706433:3844"],
    ["is the address in hexadecimal", "0x7f.1:3844"],
    ["is IPv6 without brackets", "::1:3844"],
    ["is IPv6 whose bracket stays open", "[::1"],
    ["is another address of IPv6", "[::2]:3844"],
    ["is IPv6 in full", "[0:0:0:0:0:0:0:1]:3844"],
    ["is IPv6 and a name", "[::1].evil.example:3844"],
    ["is IPv4 in IPv6", "[::ffff:127.0.0.1]:3844"],
  ])("that %s is another's: %j", (_what, host) => {
    expect([isOwnHost(host, NAMED), isOwnHost(host, ALONE)]).toEqual([false, false]);
  });

  test.each(["evie.example", "evie.example:3844", "proxied.example:8443"])(
    "of %j is another's where that name was not configured",
    (host) => {
      expect(isOwnHost(host, ALONE)).toBe(false);
    },
  );

  test.each(["localhost", "127.0.0.1", "[::1]", "localhost:80"])("of %j means port 80", (host) => {
    expect([isOwnHost(host, { port: 80 }), isOwnHost(host, { port: 81 })]).toEqual([true, false]);
  });
});

describe("an Origin header", () => {
  test.each([
    "http://127.0.0.1:3844",
    "http://localhost:3844",
    "http://[::1]:3844",
    "http://evie.example",
    "https://evie.example",
    "https://proxied.example:8443",
  ])("of %j is a page of this server", (origin) => {
    expect(isOwnOrigin(origin, NAMED)).toBe(true);
  });

  test.each([
    undefined,
    "",
    "null",
    "file://",
    "http://",
    "127.0.0.1:3844",
    "http://127.0.0.1",
    "http://127.0.0.1:8080",
    "http://evil.example",
    "http://evil.example:3844",
    "https://evil.example:3844",
    "http://127.0.0.1:3844.evil.example",
    "http://127.0.0.1:3844@evil.example",
    "http://user@127.0.0.1:3844",
    "http://evil.example/http://127.0.0.1:3844",
    "http://127.0.0.1:3844/",
    "ftp://127.0.0.1:3844",
    "chrome-extension://127.0.0.1:3844",
    "xhttp://127.0.0.1:3844",
  ])("of %j is another's", (origin) => {
    expect([isOwnOrigin(origin, NAMED), isOwnOrigin(origin, ALONE)]).toEqual([false, false]);
  });

  test.each(["https://127.0.0.1:3844", "HTTPS://localhost:3844"])(
    "of %j is another's unless something in front of this server speaks https",
    (origin) => {
      expect([isOwnOrigin(origin, NAMED), isOwnOrigin(origin, ALONE)]).toEqual([true, false]);
    },
  );
});

test.each([
  ["evil.example:3844", "http://evil.example:3844"],
  ["evil.example:3844", "http://127.0.0.1:3844"],
  ["127.0.0.1:3844", "http://evil.example:3844"],
])("a host of %j with an origin of %j does not get past both", (host, origin) => {
  expect(isOwnHost(host, NAMED) && isOwnOrigin(origin, NAMED)).toBe(false);
});
