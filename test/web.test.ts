import { expect, test } from "vitest";
import type { SessionId } from "../src/domain/ids.ts";
import { openWeb } from "../src/web.ts";
import { createMemoryLog } from "./fakes/memory-log.ts";

test.each([
  [[], "127.0.0.1", "http://127.0.0.1:PORT"],
  [[], "::1", "http://[::1]:PORT"],
  [["evie.example"], "127.0.0.1", "http://evie.example:PORT"],
  [["evie.example:8443"], "127.0.0.1", "http://evie.example:8443"],
  [["evie.example:443", "other.example"], "127.0.0.1", "https://evie.example"],
])(
  "links for the names %j at %s begin with %s, and their key stands where no server sees it",
  async (httpNames, httpAddress, base) => {
    const web = await openWeb({
      config: { httpPorts: [0], httpAddress, httpNames },
      token: "a-token",
      keyLedger: { salts: () => new Map([[7, "salt"]]), keep: () => undefined },
      log: createMemoryLog(),
    });
    const start = base.replace("PORT", /:(\d+)\/$/.exec(web.address)?.[1] ?? "");
    expect([web.address, web.answerAt("s-1" as SessionId)]).toEqual([`${start}/`, `${start}/s/s-1`]);
    for (const link of [web.link, web.linkFor(7), web.linkFor(8)]) {
      expect(link).toMatch(/\/#key=evie-deck-[\w-]{43}$/);
      expect(link.startsWith(`${start}/#`)).toBe(true);
      expect(link).not.toContain("a-token");
    }
    expect(new Set([web.link, web.linkFor(7), web.linkFor(8)]).size).toBe(3);
    await web.close();
  },
);
