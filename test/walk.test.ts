import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, watch } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeAgentFolder } from "../src/playground/stand-in-model/agent-folder.ts";
import { type SeenRequest, type StandInModel, startStandInModel } from "../src/playground/stand-in-model.ts";
import { noisePng, png } from "./builders.ts";
import { type RunningEvie, startEvie } from "./running-evie.ts";

/*
 * The whole path on real parts: evie as a process, the real pi under it, a stand-in for the model that pi asks, and
 * a Bot API over HTTP. Each test is somebody else in a chat of their own, as it would be on one machine.
 */

let model: StandInModel;
let evie: RunningEvie & AsyncDisposable;

beforeAll(async () => {
  model = await startStandInModel();
  evie = await startEvie({ prepare: withModel(model) });
}, 30_000);

afterAll(async () => {
  await evie[Symbol.asyncDispose]();
  await model.close();
});

function withModel({ baseUrl }: StandInModel) {
  return async (folder: string) => {
    const agentFolder = join(folder, "agent");
    await mkdir(agentFolder);
    await writeAgentFolder(agentFolder, baseUrl);
    return { PI_CODING_AGENT_DIR: agentFolder, PI_OFFLINE: "1", PI_TELEMETRY: "0" };
  };
}

/** What the model was asked in conversations where a person said `mark`: the user messages of each request. */
function asked(mark: string): readonly (readonly string[])[] {
  return requestsWith(mark).map(userTexts);
}

function requestsWith(mark: string): readonly SeenRequest[] {
  return model.requests.filter((request) => userTexts(request).some((text) => text.includes(mark)));
}

function userTexts({ messages }: SeenRequest): readonly string[] {
  return messages.filter(({ role }) => role === "user").map(({ text }) => text);
}

/** Words that make the model answer by rule. */
const script = (steps: unknown): string => `MOCK${JSON.stringify(steps)}`;

const final = (text: string) => (message: { text: string }) => message.text === text;
const ends = (mark: string) => (message: { text: string }) => message.text.endsWith(mark);
const holds = (mark: string) => (message: { text: string }) => message.text.includes(mark);

/** Lets a whole turn pass in another chat: what was still to come in this one has come. */
async function aTurnElsewhere(): Promise<void> {
  const ben = evie.visitor();
  await ben.say(`elsewhere ${script({ text: "Meanwhile." })}`);
  await ben.hears(final("Meanwhile."), "an answer in another chat");
}

describe("on Telegram, with the real agent", () => {
  test("a single message is answered once, from a silent placeholder that becomes the answer", async () => {
    const anna = evie.visitor();
    await anna.say(`walk-single ${script({ text: "It **works**." })}`);
    const answer = await anna.hears(final("It works."), "the answer");
    expect(answer.entities).toEqual([{ type: "bold", offset: 3, length: 5 }]);
    expect(answer.silent).toBe(true);
    expect(answer.edits[0]?.before.text).toBe("…");
    expect(anna.said()).toEqual(["It works."]);
    expect(asked("walk-single")).toEqual([[`walk-single ${script({ text: "It **works**." })}`]]);
  });

  test("a paste that was cut in three is asked and answered as a whole", async () => {
    const anna = evie.visitor();
    const paste = Array.from({ length: 1_300 }, (_, line) => `paste ${line}`).join("\n");
    const parts = await anna.say(`${paste}\n${script({ text: "All read." })}`);
    expect(parts).toHaveLength(4);
    await anna.hears(final("All read."), "the answer");
    const [messages] = asked("paste 0");
    expect(messages).toEqual([parts.map(({ text }) => text).join("\n\n")]);
    expect(requestsWith("paste 0")).toHaveLength(1);
    expect(anna.said()).toEqual(["All read."]);
  });

  test("an album of five is asked as one, in order, though its first picture is slow", async () => {
    const anna = evie.visitor();
    const slow = evie.api.faults.files({ kind: "slow", bytesPerSecond: 60, times: 1 });
    const shades = [10, 60, 110, 160, 210];
    await anna.sendAlbum(
      shades.map((shade, index) => ({
        bytes: png(shade),
        ...(index === 0 ? { caption: `walk-album ${script({ text: "Five." })}` } : {}),
      })),
    );
    await anna.hears(final("Five."), "the answer");
    expect(slow.hits).toBe(1);
    expect(requestsWith("walk-album")).toHaveLength(1);
    const images = requestsWith("walk-album")[0]?.messages.flatMap((message) => message.images) ?? [];
    const alone = shades.map((shade) => sha256(png(shade)));
    expect(images.map((image) => image.sha256)).toEqual(alone);
    expect(anna.said()).toEqual(["Five."]);
  });

  test("a caption and its follow-up become one prompt, with the picture", async () => {
    const anna = evie.visitor();
    anna.sendPhoto(png(99), { caption: "follow-up: what is this?" });
    await anna.say(`and why? ${script({ text: "A square." })}`);
    await anna.hears(final("A square."), "the answer");
    const [request] = requestsWith("follow-up");
    expect(asked("follow-up")).toEqual([
      [`follow-up: what is this?\n\nand why? ${script({ text: "A square." })}`],
    ]);
    expect(request?.messages.flatMap(({ images }) => images)).toHaveLength(1);
  });

  test("a burst that is written behind a slow download takes that download's message along", async () => {
    const anna = evie.visitor();
    evie.api.faults.files({ kind: "slow", bytesPerSecond: 40, times: 1 });
    anna.sendPhoto(png(7), { caption: "slow picture" });
    await anna.hears(final("…"), "the placeholder of the first turn");
    await anna.say(`walk-overtaking ${script({ text: "Both seen." })}`);
    await anna.hears(final("Both seen."), "the answer");
    expect(asked("walk-overtaking")).toEqual([
      [`slow picture\n\nwalk-overtaking ${script({ text: "Both seen." })}`],
    ]);
    expect(requestsWith("walk-overtaking")[0]?.messages.flatMap(({ images }) => images)).toHaveLength(1);
    await aTurnElsewhere();
    expect(anna.said()).toEqual(["Both seen."]);
  });

  test("an interrupt in mid-stream keeps what was said, with a mark, and is answered below", async () => {
    const anna = evie.visitor();
    await anna.say(`walk-stream ${script({ n: 500, delayMs: 20 })}`);
    await anna.hears(holds("w0001"), "the first words");
    await anna.say(`walk-instead ${script({ text: "Something else." })}`);
    await anna.hears(final("Something else."), "the second answer");
    const [first, second] = anna.said();
    expect(first).toMatch(/^w0001 [\s\S]*\(interrupted by your next message\)$/);
    expect(second).toBe("Something else.");
    expect(requestsWith("walk-stream")[0]?.aborted).toBe(true);
    expect(asked("walk-instead")).toHaveLength(1);
    expect(asked("walk-instead")[0]?.at(-1)).toContain("walk-instead");
    // What was accepted is in the agent's history, and is not sent again.
    expect(asked("walk-instead")[0]).toHaveLength(2);
  });

  test("an interrupt in the middle of a tool ends the tool and its processes", async () => {
    const anna = evie.visitor();
    const tool = { name: "bash", args: { command: "echo $$ > tool.pid; sleep 300" } };
    await anna.say(`walk-tool ${script([{ text: "Running.", tools: [tool] }])}`);
    await anna.hears(holds("bash: echo"), "the line about the tool");
    const pid = await untilFile("tool.pid");
    expect(isAlive(pid)).toBe(true);
    await anna.say(`walk-enough ${script({ text: "Stopped it." })}`);
    await anna.hears(final("Stopped it."), "the second answer");
    expect(isAlive(pid)).toBe(false);
    expect(anna.said()[0]).toBe("Running.\n\n(interrupted by your next message)");
  });

  test("a tool that runs is one quiet line, which does not stay", async () => {
    const anna = evie.visitor();
    const tool = { name: "bash", args: { command: "sleep 1.2; echo tool-output" } };
    await anna.say(
      `walk-quiet ${script([{ text: "One moment.", tools: [tool] }, { text: "That was it." }])}`,
    );
    const line = await anna.hears(holds("🔧 bash: sleep 1.2; echo tool-output"), "the line about the tool");
    await anna.hears(final("One moment.\n\nThat was it."), "the final answer");
    expect(anna.said()).toEqual(["One moment.\n\nThat was it."]);
    expect(line.edits.length).toBeGreaterThan(1);
  });

  test("two prompts that follow a slow picture lose and double nothing, whenever the agent took the first", async () => {
    const anna = evie.visitor();
    const flushes = (count: number) => (output: string) =>
      output.split(`"chat":"${anna.chat.id}","parts":1,"msg":"burst flushed"`).length > count;
    // A picture that the agent needs seconds to shrink, and cannot be aborted in.
    anna.sendPhoto(noisePng(1_500, 1_500), { caption: "walk-abort-first" });
    await evie.wrote(flushes(1), "the first flush");
    await anna.say("walk-abort-second");
    await evie.wrote(flushes(2), "the second flush");
    await anna.say(`walk-abort-third ${script({ text: "Three." })}`);
    await anna.hears(final("Three."), "the last answer", 25_000);
    // Whether the agent took the picture before it was told to stop is its own affair: no part may be lost or doubled.
    const [history = [], ...others] = asked("walk-abort-third");
    expect(others).toEqual([]);
    expect(history.join("\n").match(/walk-abort-\w+/g)).toEqual(
      ["first", "second", "third"].map((each) => `walk-abort-${each}`),
    );
  }, 40_000);

  test("/clear discards a burst that waits: it is never asked, and the next message begins a new session", async () => {
    const anna = evie.visitor();
    await anna.say(`walk-before ${script({ text: "Old session." })}`);
    await anna.hears(final("Old session."), "the first answer");
    await anna.say("ghost-prompt");
    await anna.say("/clear");
    await anna.hears(holds("New session."), "the confirmation", 1_000);
    await anna.say(`walk-fresh ${script({ text: "New here." })}`);
    await anna.hears(final("New here."), "the answer");
    expect(asked("ghost-prompt")).toEqual([]);
    expect(asked("walk-fresh")).toEqual([[`walk-fresh ${script({ text: "New here." })}`]]);
    await aTurnElsewhere();
    expect(anna.said().slice(1)).toEqual([expect.stringMatching(/^New session/), "New here."]);
  });

  test("/clear in mid-turn confirms at once and lets nothing more of the old turn be shown", async () => {
    const anna = evie.visitor();
    await anna.say(`old-turn ${script({ n: 600, delayMs: 20 })}`);
    await anna.hears(holds("w0001"), "the first words");
    const asked = performance.now();
    await anna.say("/clear");
    await anna.hears(holds("New session."), "the confirmation");
    expect(performance.now() - asked).toBeLessThan(1_000);
    await anna.hears(ends("(stopped)"), "the old answer's close");
    const closed = anna.said()[0];
    await aTurnElsewhere();
    expect(anna.said()).toHaveLength(2);
    expect(anna.said()[0]).toBe(closed);
    await anna.say(`after-clear ${script({ text: "Clean." })}`);
    await anna.hears(final("Clean."), "the answer of the new session");
    expect(requestsWith("after-clear")[0]?.messages.some(({ text }) => text.includes("old-turn"))).toBe(
      false,
    );
  });

  test("/stop ends the turn and keeps the session; a second one says that nothing runs", async () => {
    const anna = evie.visitor();
    await anna.say(`stop-me ${script({ n: 600, delayMs: 20 })}`);
    await anna.hears(holds("w0001"), "the first words");
    await anna.say("/stop");
    await anna.hears(final("Stopped."), "the confirmation");
    await anna.hears(ends("(stopped)"), "the answer's close");
    await anna.say("/stop");
    await anna.hears(final("Nothing is running."), "the second reply");
    await anna.say(`go-on ${script({ text: "Still here." })}`);
    await anna.hears(final("Still here."), "the next answer");
    expect(asked("go-on").at(-1)?.[0]).toContain("stop-me");
  });

  test("an unknown command is answered and not asked; it leaves a running turn alone", async () => {
    const anna = evie.visitor();
    await anna.say(`undisturbed ${script({ n: 60, delayMs: 20 })}`);
    await anna.hears(holds("w0001"), "the first words");
    await anna.say("/frobnicate");
    await anna.hears(holds("no command /frobnicate"), "the reply");
    await anna.hears(holds("w0060"), "the answer's end");
    expect(asked("frobnicate")).toEqual([]);
    expect(requestsWith("undisturbed")[0]?.aborted).toBe(false);
  });

  test("a path is content, not a command", async () => {
    const anna = evie.visitor();
    await anna.say(`/home/me/x.ts is broken ${script({ text: "Let me see." })}`);
    await anna.hears(final("Let me see."), "the answer");
    expect(asked("/home/me/x.ts")).toHaveLength(1);
  });

  test("a stranger reaches no agent, and is told once who this bot is not for", async () => {
    const stranger = evie.api.person({ id: 666, first_name: "Mallory" });
    await stranger.say("stranger-words");
    await stranger.say("/start");
    await stranger.say("stranger-again");
    const message = await evie.api.until(() => evie.api.chat(666).botMessages[0], { what: "the one line" });
    expect(message.text).toBe("This bot is private. Your id is 666.");
    const anna = evie.visitor();
    await anna.say(`after-stranger ${script({ text: "Yes." })}`);
    await anna.hears(final("Yes."), "an answer");
    expect(evie.api.chat(666).botMessages).toHaveLength(1);
    expect(asked("stranger")).toHaveLength(1);
  });

  test("a model that refuses is one clear line, and the next message works", async () => {
    const anna = evie.visitor();
    await anna.say(`model-down ${script({ status: 401 })}`);
    const message = await anna.hears(holds("⚠️"), "the line about the model");
    expect(message.text).toMatch(/^⚠️ The model could not answer: .*401/);
    await anna.say(`model-up ${script({ text: "Again." })}`);
    await anna.hears(final("Again."), "the next answer");
  });

  test("a model that fails and then answers leaves no trace of its failure", async () => {
    const anna = evie.visitor();
    await anna.say(`flaky ${script({ status: 500, times: 1, then: { text: "There you are." } })}`);
    await anna.hears(holds("Trying again, 1 of 3"), "the line about the retry");
    await anna.hears(final("There you are."), "the answer");
    expect(anna.said()).toEqual(["There you are."]);
  });

  test("a document reaches the agent as a file that it can read, under a name of evie's own", async () => {
    const anna = evie.visitor();
    anna.sendDocument(new TextEncoder().encode("the secret is 42"), {
      name: "../../etc/odd name.txt",
      caption: `walk-document ${script({ text: "Read." })}`,
    });
    await anna.hears(final("Read."), "the answer");
    const [[prompt = ""] = []] = asked("walk-document");
    const path = /\[File "..\/..\/etc\/odd name.txt" \(16 B\) is at (.+)\]/.exec(prompt)?.[1] ?? "";
    expect(path).toMatch(/^\/.+\/home\/files\/[0-9a-f-]+\.txt$/);
    expect(await readFile(path, "utf8")).toBe("the secret is 42");
  });

  test("a picture's file goes with its turn", async () => {
    const anna = evie.visitor();
    anna.sendPhoto(png(33), { caption: `walk-guarded ${script({ text: "Seen." })}` });
    await anna.hears(final("Seen."), "the answer");
    await aTurnElsewhere();
    const left = await readdir(join(evie.home, "files"));
    expect(left.filter((name) => name.endsWith(".jpg") || name.endsWith(".png"))).toEqual([]);
  });

  test("the bot's token is in no log line and in no file of evie's home", async () => {
    const anna = evie.visitor();
    evie.api.faults.calls({ kind: "reset", when: "before", methods: "editMessageText", times: 1 });
    evie.api.faults.files({ kind: "missing", times: 5 });
    anna.sendDocument(new Uint8Array([1, 2, 3]), {
      name: "lost.bin",
      caption: `leaky ${script({ text: "Done." })}`,
    });
    await anna.hears(final("Done."), "the answer");
    evie.api.faults.clear();
    const secret = evie.api.token.split(":")[1] ?? "";
    expect(secret.length).toBeGreaterThan(10);
    expect(evie.output()).not.toContain(secret);
    for (const entry of await readdir(evie.home, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = await readFile(join(entry.parentPath, entry.name), "latin1");
      expect(text.includes(secret), entry.name).toBe(false);
    }
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The number in a file that is about to be written into the workspace. */
async function untilFile(name: string): Promise<number> {
  const path = join(evie.workspace, name);
  const changes = watch(evie.workspace, { signal: AbortSignal.timeout(10_000) });
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await changes.next();
  }
}
