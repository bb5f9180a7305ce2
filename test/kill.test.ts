import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SessionInfo } from "../src/domain/wire.ts";
import type { ShownMessage } from "../src/playground/bot-api/bot-api.ts";
import type { Person } from "../src/playground/bot-api/person.ts";
import { labels, replies } from "../src/telegram/words.ts";
import { png } from "./builders.ts";
import { prepareMortalEvie, seededRandom, type Standing } from "./kill-rig.ts";

/*
 * Evie dies at moments that nobody chose, again and again, while people go on writing. Whatever dies in between, each
 * message is asked once and answered, or its author knows that it was cut off.
 */

const KILLS = 50;

/** What an agent does with a prompt; each shows another moment to die in. */
const BEHAVIOURS: readonly object[] = [
  {},
  { overMs: 400 },
  { overMs: 1_500 },
  { acceptMs: 300 },
  { acceptMs: 150, overMs: 300 },
  { retries: 1, retryMs: 250 },
  { tool: {}, overMs: 300 },
];

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** One message, or several that belong together, as their author remembers it. */
/** What a request is answered with. */
interface Answered {
  readonly outcome: string;
  readonly error?: string;
}

interface Asked {
  readonly marks: readonly string[];
  readonly messageIds: readonly number[];
}

test("fifty kills lose no message and ask none twice", { timeout: 400_000 }, async () => {
  const seed = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000);
  process.stdout.write(`kill test: KILL_SEED=${seed}\n`);
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  const users = Array.from({ length: 9 }, (_, index) => 4_711 + index);
  await using evie = await prepareMortalEvie(users, { http: true });
  const { api } = evie;
  const people = users.map((id) => api.person({ id, first_name: `Person ${id}` }));
  const [calm, busy, commanding] = [people.slice(0, 5), people.slice(5, 8), people.slice(8)];
  const asked = new Map<Person, Asked[]>(people.map((person) => [person, []]));
  let marks = 0;

  const nextMark = (): string => `m${`${(marks += 1)}`.padStart(4, "0")}`;
  const shown = (person: Person): readonly ShownMessage[] => api.chat(person.chat.id).botMessages;
  const askedBy = (person: Person): Asked[] => asked.get(person) ?? [];

  async function ask(person: Person): Promise<void> {
    const all = Array.from({ length: 1 + Math.floor(random() * 3) }, nextMark);
    const last = all.at(-1) ?? "";
    const messageIds: number[] = [];
    for (const mark of all.slice(0, -1)) {
      if (random() < 0.3) messageIds.push(person.sendPhoto(png(marks % 256), { caption: mark }).message_id);
      else for (const message of await person.say(mark)) messageIds.push(message.message_id);
    }
    const script = { ...pick(BEHAVIOURS), text: `answer-${last} of several words done-${last}` };
    for (const message of await person.say(`${last} FAKE${JSON.stringify(script)}`))
      messageIds.push(message.message_id);
    askedBy(person).push({ marks: all, messageIds });
  }

  /** What was taken by HTTP, by its mark, and in which session. */
  const posted = new Map<string, { readonly session: string; readonly body: object }>();
  /** Asks by HTTP, in a session of its own or in a busy person's; what is not acknowledged counts for nothing. */
  async function post(): Promise<void> {
    const [mark, own, mode] = [nextMark(), random() < 0.5, pick(["queue", "queue", "replace"])];
    const script = { ...pick(BEHAVIOURS), text: `answer-${mark} done-${mark}` };
    const images = random() < 0.3 ? [{ mimeType: "image/png", data: base64(png(marks % 256)) }] : [];
    const chat = pick(busy).chat.id;
    try {
      const { sessions } = await evie.ask<{ sessions: readonly SessionInfo[] }>("GET", "/api/sessions");
      const session =
        sessions.find((each) => (own ? each.face === "http" : each.chat?.id === chat)) ??
        (await evie.ask<SessionInfo>("POST", "/api/sessions", {}));
      const text = `${mark} FAKE${JSON.stringify(script)}`;
      const body = { text, images, mode, requestId: mark };
      await evie.ask("POST", `/api/sessions/${session.id}/prompt?wait=0`, body);
      posted.set(mark, { session: session.id, body });
    } catch {
      // It was killed meanwhile: whoever hears nothing asks again.
    }
  }

  function answers({ marks: all }: Asked, person: Person): readonly ShownMessage[] {
    return shown(person).filter(({ text }) => text.includes(`done-${all.at(-1)}`));
  }
  function reports({ messageIds }: Asked, person: Person): readonly ShownMessage[] {
    return shown(person).filter(
      ({ text, message }) =>
        text === replies.interrupted && messageIds.includes(message.reply_to_message?.message_id ?? 0),
    );
  }
  const settled = (each: Asked, person: Person): boolean =>
    answers(each, person).length + reports(each, person).length > 0;

  /** How often each mark was taken by an agent without a person asking for it again. */
  function timesTaken(): ReadonlyMap<string, number> {
    const times = new Map<string, number>();
    for (const { text } of evie.taken()) {
      if (text.startsWith(labels.again)) continue;
      for (const mark of new Set(text.match(/\bm\d{4}\b/g))) times.set(mark, (times.get(mark) ?? 0) + 1);
    }
    return times;
  }
  const twice = (): readonly string[] =>
    [...timesTaken()].filter(([, times]) => times > 1).map(([mark]) => mark);

  api.faults.files({ kind: "slow", bytesPerSecond: 150 });
  // A send that took effect and was not answered yet, and a final that is still on its way, are moments to die in.
  api.faults.calls({ kind: "slow", ms: 80, methods: "sendMessage" });
  api.faults.calls({ kind: "slow", ms: 200, when: "before", methods: "editMessageText" });
  const met: Record<Exclude<keyof Standing, "bubbles">, number> = {
    unspent: 0,
    flushed: 0,
    handed: 0,
    accepted: 0,
    undelivered: 0,
  };
  for (let kill = 0; kill < KILLS; kill += 1) {
    evie.launch(kill % 3 === 0 ? { FAKE_AGENT: '{"readyMs":300}' } : {});
    // Most lives begin to count when evie polls: a slow machine must not kill it in its cradle each time.
    if (random() < 0.85) await evie.polls();
    const life = 100 + random() * 1_300;
    const began = performance.now();
    await sleep(life * random() * 0.6);
    for (const person of calm) if (askedBy(person).every((each) => settled(each, person))) await ask(person);
    await ask(pick(busy));
    if (random() < 0.5) await ask(pick(commanding));
    if (random() < 0.3) await pick(commanding).say(pick(["/stop", "/clear", "/help"]));
    // Its acknowledgement is waited for: the first request of a life takes as long as many a life.
    if (kill % 3 === 1) await post();
    await sleep(Math.max(random() * 300, life - (performance.now() - began)));
    await evie.kill();
    expect(twice(), `after kill ${kill + 1} of seed ${seed}`).toEqual([]);
    const standing = evie.standing();
    for (const state of Object.keys(met) as (keyof typeof met)[])
      if ((standing?.[state] ?? 0) > 0) met[state] += 1;
  }
  process.stdout.write(`kill test: died with ${JSON.stringify(met)} of ${marks} messages\n`);

  api.faults.clear();
  evie.launch();
  const complain = (what: string) => (error: unknown) => {
    throw new Error(`seed ${seed}: ${what}\n${String(error)}\n${evie.output().slice(-4_000)}`);
  };
  for (const person of calm) {
    for (const each of askedBy(person)) {
      await api
        .until(() => settled(each, person), { what: "an answer or a report", timeoutMs: 20_000 })
        .catch(
          complain(
            `${each.marks.join()} has neither: ${JSON.stringify(
              shown(person)
                .slice(-4)
                .map(({ text }) => text),
            )}`,
          ),
        );
      // A second one only where nobody could know whether the first had arrived.
      expect(answers(each, person).length).toBeLessThanOrEqual(2);
    }
  }
  // Whoever asks again by HTTP is told how it ended, and nothing runs for it.
  const neverReached = new Set<string>();
  for (const [mark, { session, body }] of posted) {
    const answer = await evie.ask<Answered>("POST", `/api/sessions/${session}/prompt`, body);
    expect(answer).toMatchObject({ outcome: expect.stringMatching(/^(done|replaced|failed)$/) });
    if (answer.outcome === "replaced" && answer.error !== undefined) neverReached.add(mark);
  }
  process.stdout.write(
    `kill test: ${posted.size} prompts were taken by HTTP, ${neverReached.size} replaced before an agent had them\n`,
  );
  expect([...neverReached].filter((mark) => timesTaken().has(mark))).toEqual([]);
  expect(posted.size).toBeGreaterThan(5);
  const mustBeTaken = [
    ...[...calm, ...busy].flatMap((person) => askedBy(person).flatMap((each) => each.marks)),
    ...[...posted.keys()].filter((mark) => !neverReached.has(mark)),
  ];
  for (let look = 0; look < 200 && mustBeTaken.some((mark) => !timesTaken().has(mark)); look += 1)
    await sleep(50);
  const times = timesTaken();
  expect(mustBeTaken.filter((mark) => times.get(mark) !== 1)).toEqual([]);
  expect(twice()).toEqual([]);

  // Who presses the button is answered, and the agent is told that it is the second time.
  const cutOff = calm.flatMap((person) =>
    askedBy(person).flatMap((each) => {
      const [report] = reports(each, person);
      return report === undefined || answers(each, person).length > 0 ? [] : [{ person, each, report }];
    }),
  );
  for (const { person, each, report } of cutOff.slice(0, 5)) {
    person.press(report.id, "Try again");
    await api
      .until(() => answers(each, person).length > 0, {
        what: "the answer after the press",
        timeoutMs: 15_000,
      })
      .catch(complain(`${each.marks.join()} was not answered after its button was pressed`));
    expect(
      evie.taken().filter(({ text }) => text.startsWith(labels.again) && text.includes(each.marks[0] ?? "?")),
    ).toHaveLength(1);
  }
  expect(await evie.stop()).toBe(0);
  // Every state was met, or the test shows less than it says.
  expect(Object.values(met).filter((count) => count > 0)).toHaveLength(5);
});
