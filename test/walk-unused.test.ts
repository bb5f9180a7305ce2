import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { expect, test } from "vitest";
import { realClock } from "../src/clock.ts";
import { makeChatKey, makeSessionId } from "../src/domain/ids.ts";
import { prepareHome } from "../src/home.ts";
import { openStore } from "../src/store/store.ts";
import { FAKE_AGENT, startEvie } from "./running-evie.ts";

const DAY = 24 * 3_600_000;

/*
 * A start on a home in which a chat and somebody by HTTP have left their sessions alone for long.
 */

test("sessions that nobody has used for 90 days are gone with the start, and their chat begins anew", async () => {
  const [old, young] = [makeSessionId(), makeSessionId()];
  let home = "";
  await using evie = await startEvie({
    env: { EVIE_AGENT_COMMAND: `'${process.execPath}' '${FAKE_AGENT}'` },
    prepare(folder) {
      home = join(folder, "home");
      const { sessions, database } = prepareHome(home);
      const { store } = openStore(database, realClock);
      const now = realClock.date();
      store.sessions.add({ id: old, cwd: folder, face: "telegram", createdAt: now - 91 * DAY });
      store.sessions.add({ id: young, cwd: folder, face: "http", createdAt: now - 89 * DAY });
      store.chats.point(makeChatKey({ chatId: 4_711 }), old);
      store.close();
      for (const id of [old, young]) {
        mkdirSync(join(home, "pictures", id), { recursive: true });
        writeFileSync(join(sessions, `${id}.jsonl`), "");
      }
      const setAside = join(home, "evie.db.damaged-2020-01-01T00-00-00Z");
      writeFileSync(setAside, "");
      utimesSync(setAside, 0, 0);
      return Promise.resolve({});
    },
  });
  await evie.wrote((text) => text.includes("sessions that nobody used were removed"), "the removal");
  const paths = (id: string): readonly string[] => [`sessions/${id}.jsonl`, `pictures/${id}`];
  await expect
    .poll(() =>
      [...paths(old), "evie.db.damaged-2020-01-01T00-00-00Z"].map((name) => existsSync(join(home, name))),
    )
    .toEqual([false, false, false]);
  expect(paths(young).map((name) => existsSync(join(home, name)))).toEqual([true, true]);
  const anna = evie.visitor();
  await anna.say("hello");
  await anna.hears(({ text }) => text === "Echo: hello", "an answer");
  expect(anna.said()).toHaveLength(1);
  expect(await evie.stop()).toBe(0);
  const { store } = openStore(join(home, "evie.db"), realClock);
  const left = store.sessions.list().map(({ id }) => id);
  store.close();
  expect(left).toHaveLength(2);
  expect(left).toContain(young);
});
