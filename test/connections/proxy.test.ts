import { describe, expect, test } from "vitest";
import { isSocks, shownAddress, wayTo } from "../../src/connections/proxy.ts";

const TELEGRAM = "https://api.telegram.org";

function way(env: Readonly<Record<string, string>>, apiRoot = TELEGRAM): string {
  const found = wayTo(apiRoot, env);
  switch (found.type) {
    case "straight":
      return "straight";
    case "exempt":
      return `${found.variable} is not used: ${found.because}`;
    case "unusable":
      return `${found.variable} is unusable`;
    case "proxy":
      return `${found.variable}: ${found.proxy.href}`;
  }
}

describe("the way to Telegram", () => {
  test.each<[Record<string, string>, string]>([
    [{}, "straight"],
    [{ HTTPS_PROXY: "http://p:1" }, "HTTPS_PROXY: http://p:1/"],
    [{ https_proxy: "http://low:1", HTTPS_PROXY: "http://up:1" }, "https_proxy: http://low:1/"],
    [{ ALL_PROXY: "http://p:1" }, "ALL_PROXY: http://p:1/"],
    [{ all_proxy: "socks5://p:1080" }, "all_proxy: socks5://p:1080"],
    [{ ALL_PROXY: "socks5h://p" }, "ALL_PROXY: socks5h://p"],
    [{ ALL_PROXY: "http://all:1", HTTPS_PROXY: "http://own:1" }, "HTTPS_PROXY: http://own:1/"],
    [{ ALL_PROXY: "http://all:1", HTTPS_PROXY: " ", https_proxy: "" }, "ALL_PROXY: http://all:1/"],
    [{ HTTPS_PROXY: "p:3128" }, "HTTPS_PROXY: http://p:3128/"],
    [{ HTTPS_PROXY: "https://a:b%40c@p:1" }, "HTTPS_PROXY: https://a:b%40c@p:1/"],
  ])("%o leads it: %s", (env, expected) => {
    expect(way(env)).toBe(expected);
  });

  test.each(["::wrong::", "ftp://p:1", "pac+http://p/x.pac", "http://", "http://a:100%@p:1"])(
    "%o is no proxy that anybody can follow",
    (value) => {
      expect(way({ ALL_PROXY: value })).toBe("ALL_PROXY is unusable");
    },
  );

  test("a proxy for plain http alone is not for Telegram, which is said", () => {
    expect(way({ HTTP_PROXY: "http://p:1" })).toBe(
      "HTTP_PROXY is not used: Telegram is asked over https. Set HTTPS_PROXY for that",
    );
    expect(way({ HTTP_PROXY: "http://p:1", ALL_PROXY: "http://q:1" })).toBe("ALL_PROXY: http://q:1/");
  });

  test.each(["HTTPS_PROXY", "ALL_PROXY", "http_proxy"])(
    "a Bot API server of one's own over plain http is asked without %s, which is said",
    (name) => {
      expect(way({ [name]: "http://p:1" }, "http://127.0.0.1:8081")).toBe(
        `${name} is not used: the Bot API server is asked over plain http, at 127.0.0.1:8081`,
      );
    },
  );

  const EXEMPT = /^HTTPS_PROXY is not used: no_proxy names /;
  test.each([
    ["api.telegram.org", TELEGRAM],
    ["telegram.org", TELEGRAM],
    [".telegram.org", TELEGRAM],
    ["*.telegram.org", TELEGRAM],
    ["*", TELEGRAM],
    ["localhost, API.Telegram.org", TELEGRAM],
    ["localhost api.telegram.org.", TELEGRAM],
    ["api.telegram.org:443", TELEGRAM],
    ["bots.example:8443", "https://bots.example:8443/telegram"],
    ["10.1.2.3", "https://10.1.2.3"],
    ["10.0.0.0/8", "https://10.1.2.3"],
    ["10.1.2.1-10.1.2.9", "https://10.1.2.3"],
    ["10.1.2.3:443", "https://10.1.2.3"],
    ["[::1]", "https://[::1]:8443"],
    ["[::1]:8443", "https://[::1]:8443"],
    ["::1", "https://[::1]"],
    ["fd00::/8", "https://[fd12::3]"],
  ])("NO_PROXY=%s keeps the proxy from %s", (noProxy, apiRoot) => {
    expect(way({ HTTPS_PROXY: "http://p:1", no_proxy: noProxy }, apiRoot)).toMatch(EXEMPT);
  });

  test.each([
    ["", TELEGRAM],
    [",", TELEGRAM],
    [".", TELEGRAM],
    ["gram.org", TELEGRAM],
    ["api.telegram.org.example", TELEGRAM],
    ["x.api.telegram.org", TELEGRAM],
    ["api.telegram.org:80", TELEGRAM],
    ["10.0.0.0/8", "https://11.1.2.3"],
    ["10.0.0.0/99", "https://10.1.2.3"],
    ["10.1.2.9-10.1.2.1", "https://10.1.2.3"],
    ["10.1.2.4-10.1.2.9", "https://10.1.2.3"],
    ["2.3", "https://10.1.2.3"],
    ["::2", "https://[::1]"],
    ["10.0.0.0/8", "https://[::1]"],
  ])("NO_PROXY=%s leaves it the proxy for %s", (noProxy, apiRoot) => {
    expect(way({ HTTPS_PROXY: "http://p:1", NO_PROXY: noProxy }, apiRoot)).toBe("HTTPS_PROXY: http://p:1/");
  });
});

test("a proxy is told from a SOCKS proxy by its scheme, and shown without its password", () => {
  const secret = new URL("socks5h://ada:s3cret@proxy.example:1080");
  expect(isSocks(secret)).toBe(true);
  expect(shownAddress(secret)).toBe("socks5h://proxy.example:1080");
  expect(
    ["socks:", "socks4:", "socks4a:", "socks5:"].every((scheme) => isSocks(new URL(`${scheme}//p`))),
  ).toBe(true);
  expect(isSocks(new URL("http://p:1"))).toBe(false);
});
