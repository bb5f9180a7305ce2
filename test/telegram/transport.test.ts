import dns from "node:dns";
import process from "node:process";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { request } from "../../src/telegram/transport.ts";
import { openUnansweringPort } from "../fakes/unanswering-port.ts";

/** Two addresses of this machine; macOS has only one that is IPv4. */
const ONE = "127.0.0.1";
const OTHER = process.platform === "linux" ? "127.0.0.2" : "::1";

test("a server whose handshake takes a second is reached, although another of its addresses is dead", async () => {
  await using slow = await openUnansweringPort(ONE, 0);
  await using _dead = await openUnansweringPort(OTHER, slow.port);
  vi.spyOn(dns, "lookup").mockImplementation(((_host: string, _options: object, callback: LookedUp) => {
    callback(
      null,
      [ONE, OTHER].map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
    // The first handshake has been dropped by now, so that this is heard when it is tried again.
    setImmediate(slow.answer);
  }) as typeof dns.lookup);
  const answer = await request(`http://telegram.test:${slow.port}/`, { signal: AbortSignal.timeout(8_000) });
  expect(await text(answer)).toBe("here");
});

type LookedUp = (error: null, addresses: { readonly address: string; readonly family: number }[]) => void;
