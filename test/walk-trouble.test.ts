import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { noisePng } from "./builders.ts";
import { FAKE_AGENT, type RunningEvie, startEvie } from "./running-evie.ts";

/*
 * The whole path where something goes wrong: evie as a process, on a Bot API over HTTP, with an agent that does what
 * its prompt tells it to. After each trouble evie lives, and the next message works.
 */

const AGENT = `"${process.execPath}" "${FAKE_AGENT}"`;

let evie: RunningEvie & AsyncDisposable;

beforeAll(async () => {
  evie = await startEvie({
    prepare: async (folder) => ({ EVIE_AGENT_COMMAND: AGENT, FAKE_AGENT_LOG: join(folder, "agent.log") }),
  });
}, 30_000);

afterAll(() => evie[Symbol.asyncDispose]());

const script = (run: unknown): string => `FAKE${JSON.stringify(run)}`;
const final = (text: string) => (message: { text: string }) => message.text === text;
const holds = (mark: string) => (message: { text: string }) => message.text.includes(mark);

interface Noted {
  readonly pid: number;
  readonly event: string;
  readonly record?: { readonly type: string; readonly message?: string };
}

/** The prompts that reached an agent's stdin, in order, of those that hold `mark`. */
async function prompts(mark: string): Promise<readonly string[]> {
  const text = await readFile(join(evie.folder, "agent.log"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Noted)
    .flatMap(({ record }) => (record?.type === "prompt" ? [record.message ?? ""] : []))
    .filter((message) => message.includes(mark));
}

describe("when something goes wrong", () => {
  test("of three prompts, two of them while an abort is under way, the agent gets the first, then the second and third joined", async () => {
    const anna = evie.visitor();
    const flushes = (count: number) => (output: string) =>
      output.split(`"chat":"${anna.chat.id}","parts":1,"msg":"burst flushed"`).length > count;
    // It never ends by itself: it is dismissed after the abort's grace of five seconds.
    const first = `trio-1 ${script({ deltas: 10, hang: true, ignoreAbort: true })}`;
    await anna.say(first);
    await anna.hears(holds("w0001"), "the first words");
    await anna.say("trio-2");
    await evie.wrote(flushes(2), "the second flush");
    await anna.say(`trio-3 ${script({ text: "Both." })}`);
    await anna.hears(final("Both."), "the answer");
    expect(await prompts("trio-")).toEqual([first, `trio-2\n\ntrio-3 ${script({ text: "Both." })}`]);
    expect(anna.said()[0]).toMatch(/\(interrupted by your next message\)$/);
  }, 40_000);

  test.each<{ case: string; run: unknown; says: RegExp }>([
    {
      case: "dies in the middle of its answer",
      run: { text: "half of it", exit: { signal: "SIGKILL" } },
      says: /^half[\s\S]*⚠️ The agent ended unexpectedly \(signal SIGKILL\)/,
    },
    {
      case: "ends with a code and last words",
      run: { text: "half of it", exit: { code: 7, stderr: "out of cheese\n" } },
      says: /⚠️ The agent ended unexpectedly \(exit code 7: out of cheese\)/,
    },
    {
      case: "is gone before it takes the prompt",
      run: { exitBefore: { code: 3, stderr: "no reason\n" } },
      says: /⚠️ The agent .*exit code 3: no reason/,
    },
    {
      case: "refuses the prompt",
      run: { refuse: "No API key found." },
      says: /⚠️ .*no key for the provider\. .*run `pi` there/,
    },
    {
      case: "has a model that fails",
      run: { fail: "500: overloaded" },
      says: /⚠️ The model could not answer: the provider is overloaded \(500\)\. Wait a minute/,
    },
    {
      case: "speaks an old protocol",
      run: { text: "hello", old: "cumulative" },
      says: /⚠️ The agent speaks an old protocol/,
    },
    {
      case: "prints rubbish",
      run: { text: "All the same.", rubbish: ["{not json", "\u0000\u0001", "null"] },
      says: /^All the same\.$/,
    },
    {
      case: "asks a question",
      run: { dialog: "Which colour?", text: "Blue then." },
      says: /^Blue then\.\n\n❓ .*“Which colour\?”.*cancelled/,
    },
    {
      case: "says nothing at all",
      run: { text: "" },
      says: /^\(The agent finished without saying anything\.\)$/,
    },
    {
      case: "handles the prompt as a command",
      run: { handled: true },
      says: /^\(The agent finished without saying anything\.\)$/,
    },
  ])("an agent that $case is told in one clear line, and the next message works", async ({ run, says }) => {
    const anna = evie.visitor();
    await anna.say(`trouble ${script(run)}`);
    const told = await anna.hears((message) => says.test(message.text), `${says}`);
    await anna.say(`after ${script({ text: "Works again." })}`);
    await anna.hears(final("Works again."), "the next answer");
    expect(anna.said()).toEqual([told.text, "Works again."]);
  });

  test("a picture that cannot be fetched is told to the person and to the agent, and the rest is asked", async () => {
    const anna = evie.visitor();
    const fault = evie.api.faults.files({ kind: "missing" });
    anna.sendPhoto(noisePng(4, 4), { caption: "unfetchable" });
    await anna.say(`beside it ${script({ text: "I see no picture." })}`);
    await anna.hears(final("I see no picture."), "the answer");
    fault.off();
    await anna.hears(holds("“photo.jpg” did not reach the agent: the download failed"), "the line about it");
    expect(await prompts("unfetchable")).toEqual([
      `unfetchable\n\n[File "photo.jpg" is missing: the download failed]\n\nbeside it ${script({ text: "I see no picture." })}`,
    ]);
  });

  test("a file of more than 20 MB is told before any download, and its caption still counts", async () => {
    const anna = evie.visitor();
    const before = evie.api.callsOf("getFile").length;
    anna.sendDocument(new Uint8Array(1), {
      name: "huge.iso",
      size: 25_000_000,
      caption: `too-large ${script({ text: "Without it." })}`,
    });
    await anna.hears(
      holds("“huge.iso” did not reach the agent: it is larger than 20 MB"),
      "the line about it",
    );
    await anna.hears(final("Without it."), "the answer");
    expect(evie.api.callsOf("getFile")).toHaveLength(before);
    expect((await prompts("too-large"))[0]).toContain('[File "huge.iso" is missing: it is larger than 20 MB');
  });

  test("an image of 14 MB goes to the agent as a file, with a line", async () => {
    const anna = evie.visitor();
    anna.sendDocument(noisePng(2_150, 2_170), {
      name: "big.png",
      caption: `fourteen ${script({ text: "Large." })}`,
    });
    await anna.hears(final("Large."), "the answer");
    expect((await prompts("fourteen"))[0]).toMatch(
      /\[File "big\.png" \(14 MB, a picture larger than 10 MB.*\) is at \//,
    );
  });

  test("a prompt of 200,000 characters arrives whole", async () => {
    const anna = evie.visitor();
    const text = Array.from({ length: 20_000 }, (_, line) => `${line}`.padStart(9, "x")).join("\n");
    const parts = await anna.say(`endless ${text}\n${script({ text: "Read." })}`);
    expect(parts.length).toBeGreaterThan(48);
    await anna.hears(final("Read."), "the answer");
    expect(await prompts("endless")).toEqual([parts.map((part) => part.text).join("\n\n")]);
  });

  test("updates of unknown kinds and things that no agent can use do no harm", async () => {
    const anna = evie.visitor();
    evie.api.pushUpdate({ brain_wave: { strength: 11 } });
    evie.api.pushUpdate({ message: { message_id: 5, date: 0, chat: { id: 1, type: "private" } } });
    evie.api.channel({ id: -100_1, title: "News" }).post("channel-words");
    const group = evie.api.group({ id: -100_2, title: "Team" });
    await group.as({ id: anna.user.id, first_name: "Anna" }).say("group-words");
    anna.sendSticker();
    await anna.hears(holds("I cannot pass a sticker on"), "the line about the sticker");
    await anna.say(`unharmed ${script({ text: "Fine." })}`);
    await anna.hears(final("Fine."), "the answer");
    expect(await prompts("-words")).toEqual([]);
    expect(evie.output()).toMatch(/were turned away/);
  });

  test("an outage in mid-stream delays the answer and loses nothing", async () => {
    const anna = evie.visitor();
    await anna.say(`outage ${script({ deltas: 50, overMs: 2_000 })}`);
    // An edit shows that evie knows its message. One whose answer is lost would rightly be sent again.
    await evie.api.until(() => anna.calls().find(({ method }) => method === "editMessageText"), {
      what: "an edit",
    });
    const outage = await evie.api.faults.outage();
    await evie.wrote(
      (output) => output.includes("Telegram did not answer, trying again"),
      "the outage in the log",
    );
    await outage.end();
    await anna.hears(holds("w0050"), "the whole answer", 30_000);
    expect(anna.said()).toHaveLength(1);
  }, 40_000);
});

test("without an agent evie starts, says so, and answers each message with what to do", async () => {
  await using alone = await startEvie({ env: { EVIE_AGENT_COMMAND: "/nowhere/pi" } });
  const anna = alone.visitor();
  await anna.say("hello?");
  await anna.hears(
    holds("⚠️ The agent was not found (/nowhere/pi). Install pi, or set EVIE_AGENT_COMMAND"),
    "the line",
  );
  await anna.say("/help");
  await anna.hears(holds("/clear"), "the help");
  expect(alone.output()).toContain("/nowhere/pi");
});
