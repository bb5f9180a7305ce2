import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FAKE_AGENT, type RunningEvie, startEvie } from "./running-evie.ts";

/*
 * A bot that nobody may use yet: evie as a process, from its first link to its owner and back.
 */

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const AGENT = `"${process.execPath}" "${FAKE_AGENT}"`;
const LINK = /https:\/\/t\.me\/(\w+)\?start=([A-Za-z0-9_-]{1,64})\n/;

let home: string;

beforeEach(async () => {
  home = join(await mkdtemp(join(tmpdir(), "evie-claim-")), "home");
});

afterEach(() => rm(join(home, ".."), { recursive: true, force: true, maxRetries: 5 }));

const start = (env: Readonly<Record<string, string>> = {}) =>
  startEvie({ env: { EVIE_ALLOWED_USERS: "", EVIE_HOME: home, EVIE_AGENT_COMMAND: AGENT, ...env } });

const linkFile = (): string => join(home, "claim-link");

/** The link's secret. Nobody sits at a terminal here, so it is in a file, and nowhere else. */
async function secretOf(evie: RunningEvie): Promise<string> {
  await evie.wrote(() => evie.output().includes(linkFile()), "where the claim link is");
  expect((await stat(linkFile())).mode & 0o777).toBe(0o600);
  const [, username, secret = ""] = LINK.exec(await readFile(linkFile(), "utf8")) ?? [];
  expect(username).toBe(evie.api.bot.username);
  expect(evie.output()).not.toContain(secret);
  return secret;
}

/** Starts evie and ends it, so that it has a home. */
async function startOnce(): Promise<{ readonly code: number | null }> {
  await using evie = await start();
  await secretOf(evie);
  return { code: await evie.stop() };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function unclaim(): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], EVIE_HOME: home };
    const child = execFile(process.execPath, [MAIN, "unclaim"], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

const holds = (mark: string) => (message: { text: string }) => message.text.includes(mark);

describe("a bot that nobody may use yet", () => {
  test("belongs to who opens the link, and to nobody else", async () => {
    await using evie = await start();
    const secret = await secretOf(evie);
    const [mallory, anna] = [evie.visitor(), evie.visitor()];
    await mallory.say(`/start ${secret.slice(0, -2)}xx`);
    await mallory.hears(holds(`This bot is private. Your id is ${mallory.user.id}.`), "the refusal");

    await anna.say(`/start ${secret}`);
    await anna.hears(holds("This bot is yours now"), "the word that it is hers");
    await expect(stat(linkFile())).rejects.toThrow("ENOENT");
    await anna.say("hello");
    await anna.hears(holds("Echo: hello"), "the answer");

    // Used once: it opens nothing any more, and says no more than to any stranger.
    await mallory.say(`/start ${secret}`);
    await mallory.say("let me in");
    await anna.say("/help");
    await anna.hears(holds("/clear"), "the help, which comes after Mallory's messages");
    expect(mallory.said()).toEqual([`This bot is private. Your id is ${mallory.user.id}.`]);
    expect(evie.output()).not.toContain(secret);
  });

  test("keeps its owner over a restart and beside a list of users, until evie unclaim takes it back", async () => {
    let owner: number;
    {
      await using evie = await start();
      const anna = evie.visitor();
      owner = anna.user.id;
      await anna.say(`/start ${await secretOf(evie)}`);
      await anna.hears(holds("This bot is yours now"), "the word that it is hers");

      const refused = await unclaim();
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/Another evie \(process \d+\) runs on .*End it first/);
      expect(await evie.stop()).toBe(0);
    }
    {
      await using evie = await start({ EVIE_ALLOWED_USERS: "4712" });
      const [anna, ben] = [evie.visitor(), evie.visitor()];
      expect([anna.user.id, ben.user.id]).toEqual([owner, 4_712]);
      await anna.say("still there?");
      await anna.hears(holds("Echo: still there?"), "the owner's answer");
      await ben.say("me too?");
      await ben.hears(holds("Echo: me too?"), "the other's answer");
      await expect(stat(linkFile())).rejects.toThrow("ENOENT");
      expect(await evie.stop()).toBe(0);
    }
    expect(await unclaim()).toEqual({
      code: 0,
      stdout: expect.stringContaining(`it was ${owner}.`),
      stderr: "",
    });
    expect(await unclaim()).toMatchObject({ code: 0, stdout: expect.stringContaining("Nobody has claimed") });
    {
      await using evie = await start();
      await secretOf(evie);
      const anna = evie.visitor();
      await anna.say("and now?");
      await anna.hears(holds("This bot is private."), "the refusal");
    }
    // Six processes, one after the other.
  }, 60_000);

  test("whose owner went with its database can be claimed once evie unclaim was run, and not before", async () => {
    const { code } = await startOnce();
    expect(code).toBe(0);
    for (const name of ["evie.db", "evie.db.owner"])
      await writeFile(join(home, name), "damaged ".repeat(1_000));
    {
      await using evie = await start();
      await evie.wrote(() => evie.output().includes("evie unclaim"), "what to do");
      await expect(stat(linkFile())).rejects.toThrow("ENOENT");
      expect(await evie.stop()).toBe(0);
    }
    expect(await unclaim()).toMatchObject({ code: 0, stdout: expect.stringContaining("owns it no more") });
    await using evie = await start();
    await secretOf(evie);
  }, 60_000);

  test("has nothing to take back before its first start", async () => {
    expect(await unclaim()).toMatchObject({ code: 0, stdout: expect.stringContaining("Nobody has claimed") });
  });
});
