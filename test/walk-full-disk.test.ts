import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { canMount, mountSmallDisk, type SmallDisk } from "./fakes/small-disk.ts";
import { FAKE_AGENT, freePort, startEvie } from "./running-evie.ts";

/*
 * evie on a real disk of its own, which fills up and has room again. Where nobody may mount one, the tests of the parts
 * say the same of errors that are made up.
 */

function fill(disk: SmallDisk): void {
  for (const size of [65_536, 4_096]) {
    try {
      for (let part = 0; ; part += 1)
        writeFileSync(join(disk.folder, `filled-${size}-${part}`), "x".repeat(size));
    } catch {
      // It is full now.
    }
  }
}

function empty(disk: SmallDisk): void {
  for (const size of [65_536, 4_096])
    for (let part = 0; part < 2_000; part += 1)
      rmSync(join(disk.folder, `filled-${size}-${part}`), { force: true });
}

const TOKEN = "a-token-of-the-tests-with-32-characters";

describe.runIf(canMount())("a disk that is full", () => {
  test("is told in each chat once, and with HTTP's 507; evie goes on, and answers all when there is room", async () => {
    using disk = mountSmallDisk(4_096);
    const home = join(disk.folder, "home");
    mkdirSync(home);
    const port = await freePort();
    await using evie = await startEvie({
      env: {
        EVIE_HOME: home,
        EVIE_AGENT_COMMAND: `'${process.execPath}' '${FAKE_AGENT}'`,
        EVIE_HTTP_PORT: String(port),
        EVIE_HTTP_TOKEN: TOKEN,
        LOG_LEVEL: "info",
      },
    });
    const [anna, ben] = [evie.visitor(), evie.visitor()];
    const told = (who: typeof anna): number => who.said().filter((text) => text.includes("is full")).length;
    await anna.say("before");
    await anna.hears(({ text }) => text === "Echo: before", "an answer");
    const request = async (path: string, body: object): Promise<{ status: number; text: string }> => {
      const response = await fetch(`http://127.0.0.1:${port}/api/sessions${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    };
    const made = await request("", {});
    const { id } = JSON.parse(made.text) as { id: string };

    fill(disk);
    await anna.say("x".repeat(300));
    await anna.hears(({ text }) => text.includes("is full. Make room on it"), "the trouble");
    await ben.say("y".repeat(300));
    await ben.hears(({ text }) => text.includes("is full. Make room on it"), "the trouble", 40_000);
    await anna.say("z".repeat(300));
    const refused = await request(`/${id}/prompt?wait=0`, { text: "q".repeat(200_000), requestId: "r-1" });
    expect(refused.status).toBe(507);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { code: "disk_full" } });
    expect([told(anna), told(ben)]).toEqual([1, 1]);

    empty(disk);
    const echoes = (letter: string) => (message: { readonly text?: string | undefined }) =>
      message.text?.startsWith("Echo: ") === true && message.text.includes(letter.repeat(300));
    await ben.hears(echoes("y"), "an answer", 60_000);
    await anna.hears(echoes("z"), "an answer", 60_000);
    const taken = await request(`/${id}/prompt?wait=0`, { text: "again", requestId: "r-1" });
    expect(taken.status).toBeLessThan(300);
    expect([told(anna), told(ben)]).toEqual([1, 1]);
    const lines = evie.output().split("\n");
    expect(
      lines.filter((line) => /"level":"(?:error|warn)"/.test(line) && /is full/.test(line)),
    ).toHaveLength(1);
    await evie.wrote((text) => text.includes("the disk takes data again"), "the end of it");

    fill(disk);
    await anna.say("w".repeat(300));
    await expect.poll(() => told(anna), { timeout: 10_000 }).toBe(2);
    empty(disk);
    expect(await evie.stop()).toBe(0);
  }, 120_000);

  test("at the first start is told as what it is, and a service manager may try again", async () => {
    using disk = mountSmallDisk(256);
    const home = join(disk.folder, "home");
    mkdirSync(home);
    fill(disk);
    await using evie = await startEvie({ env: { EVIE_HOME: home }, awaitReady: false });
    await evie.wrote((text) => text.includes("is full. Make room on it, and start evie again"), "the reason");
    expect(evie.output()).not.toMatch(/belongs to you|set EVIE_HOME|\n {4}at /);
    await expect.poll(() => evie.process.exitCode).toBe(1);
  }, 20_000);
});
