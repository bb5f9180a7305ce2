import { readFileSync, readdirSync, statSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { startStandInModel } from "../src/playground/stand-in-model.ts";
import { writeAgentFolder } from "../src/playground/stand-in-model/agent-folder.ts";
import { noisePng } from "./builders.ts";
import { FAKE_AGENT, type RunningEvie, startEvie } from "./running-evie.ts";

/*
 * What evie must not let out: evie as a process that logs all it can, through a claim, faults of the network, files
 * and tools; then everything that it wrote anywhere is searched.
 */

const AGENT = `"${process.execPath}" "${FAKE_AGENT}"`;

const script = (run: unknown): string => `FAKE${JSON.stringify(run)}`;
const final = (text: string) => (message: { text: string }) => message.text === text;
const holds = (mark: string) => (message: { text: string }) => message.text.includes(mark);

/** Every file under a folder. */
function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Those of `places` that hold `secret`, as it is or as it stands in addresses. */
function leaks(secret: string, places: Readonly<Record<string, string>>): readonly string[] {
  const forms = [secret, encodeURIComponent(secret), encodeURIComponent(secret).toLowerCase()];
  return Object.entries(places)
    .filter(([, text]) => forms.some((form) => text.includes(form)))
    .map(([name]) => name);
}

function homeTexts({ home }: RunningEvie): Record<string, string> {
  return Object.fromEntries(filesUnder(home).map((file) => [file, readFileSync(file, "latin1")]));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

describe("what nobody may see", () => {
  test("the token and the secret of the claim link are in no log, file, error or environment of an agent", async () => {
    let agentLog = "";
    await using evie = await startEvie({
      prepare: async (folder) => {
        agentLog = join(folder, "agent.log");
        return { FAKE_AGENT_LOG: agentLog };
      },
      env: { EVIE_AGENT_COMMAND: AGENT, EVIE_ALLOWED_USERS: "", LOG_LEVEL: "trace" },
    });
    const { token } = evie.api;
    await evie.wrote((output) => output.includes("claim-link"), "where the claim link is");
    const link = readFileSync(join(evie.home, "claim-link"), "utf8");
    const secret = /\?start=(\S+)/.exec(link)?.[1] ?? "";
    expect(secret).not.toBe("");

    const [anna, mallory] = [evie.visitor(), evie.visitor()];
    await mallory.say(`/start ${secret.slice(0, -1)}`);
    await anna.say(`/start ${secret}`);
    await anna.hears(holds("This bot is yours now"), "the word that it is hers");
    await mallory.say(`/start ${secret}`);

    // Every kind of fault whose error could carry an address.
    const missing = evie.api.faults.files({ kind: "missing" });
    anna.sendDocument(Buffer.from("x"), {
      name: "lost.txt",
      caption: `lost ${script({ text: "No file." })}`,
    });
    await anna.hears(final("No file."), "an answer without the file");
    missing.off();
    for (const fault of [
      { kind: "reset", when: "before" },
      { kind: "error", code: 502, description: "Bad Gateway" },
      { kind: "html", status: 502 },
      { kind: "cut" },
    ] as const)
      evie.api.faults.calls({ ...fault, times: 1, methods: ["getUpdates", "sendMessage"] });
    await anna.say(`faults ${script({ text: "All the same." })}`);
    await anna.hears(final("All the same."), "an answer through faults", 30_000);
    const outage = await evie.api.faults.outage();
    await evie.wrote((output) => output.includes("Telegram could not be asked"), "the outage in the log");
    await outage.end();

    await anna.say(`tool ${script({ tool: { process: true } })}`);
    await anna.hears(holds("bash"), "the tool at work", 30_000);
    const environments = Object.fromEntries(
      (await readFile(agentLog, "utf8"))
        .split("\n")
        .flatMap((line) => (line.includes('"start"') ? [(JSON.parse(line) as { pid: number }).pid] : []))
        .map((pid) => [`environment of ${pid}`, environmentOf(pid)]),
    );
    expect(Object.values(environments).join("")).toContain("FAKE_AGENT_LOG=");
    expect(Object.values(environments).join("")).not.toMatch(/(?:^|\0)(?:EVIE_|TELEGRAM_BOT_TOKEN)/);
    await anna.say("/stop");
    await anna.hears(holds("Stopped."), "the end of the tool");

    const places = (): Record<string, string> => ({
      ...environments,
      ...homeTexts(evie),
      "everything it wrote": evie.output(),
      "what reached the agent": readFileSync(agentLog, "utf8"),
      "what the chats show": JSON.stringify(
        evie.api.chats.map(({ messages }) => messages.map(({ text, byBot }) => byBot && text)),
      ),
    });
    expect(leaks(token, places())).toEqual([]);
    expect(leaks(secret, places())).toEqual([]);
    expect(await evie.stop()).toBe(0);
    expect(leaks(token, places())).toEqual([]);
    expect(leaks(secret, places())).toEqual([]);
    // The search finds what is there.
    expect(leaks(`${anna.user.id}`, places())).toContain(join(evie.home, "evie.db"));
  }, 90_000);

  test("a token in another variable does not reach the agent either, nor what stands in the .env file", async () => {
    let agentLog = "";
    const token = "700000001:AAanotherTokenThatIsLongEnough-_x";
    await using evie = await startEvie({
      api: { token },
      prepare: async (folder) => {
        agentLog = join(folder, "agent.log");
        await mkdir(join(folder, "home"), { mode: 0o700 });
        return {
          FAKE_AGENT_LOG: agentLog,
          MY_COPY: `curl https://api.telegram.org/bot${token}/getMe`,
          MY_ENCODED_COPY: encodeURIComponent(token),
          MY_KEY: "stays",
        };
      },
      env: { EVIE_AGENT_COMMAND: AGENT },
    });
    const anna = evie.visitor();
    await anna.say(`held ${script({ text: "Half of it.", hang: true })}`);
    await anna.hears(holds("Half"), "the first words");
    const [start = "{}"] = (await readFile(agentLog, "utf8")).split("\n");
    const environment = environmentOf((JSON.parse(start) as { pid: number }).pid);
    expect(environment).toContain("MY_KEY=stays");
    expect(leaks(token, { environment })).toEqual([]);
    expect(environment).not.toMatch(/(?:^|\0)(?:MY_COPY|MY_ENCODED_COPY|EVIE_\w+|TELEGRAM_BOT_TOKEN)=/);
  });
});

describe("the home", () => {
  test("is closed to others: folders 0700, files 0600, also those that the real agent makes", async () => {
    const model = await startStandInModel();
    await using evie = await startEvie({
      prepare: async (folder) => {
        await writeAgentFolder(join(folder, "agent"), model.baseUrl);
        return { PI_CODING_AGENT_DIR: join(folder, "agent"), PI_OFFLINE: "1", PI_TELEMETRY: "0" };
      },
    });
    const anna = evie.visitor();
    anna.sendPhoto(noisePng(8, 8), { caption: 'look MOCK{"text":"Seen."}' });
    anna.sendDocument(Buffer.from("plain"), { name: "notes.txt" });
    await anna.hears(final("Seen."), "the answer");
    const open = (): readonly string[] =>
      [
        evie.home,
        ...readdirSync(evie.home, { recursive: true, encoding: "utf8" }).map((name) => join(evie.home, name)),
      ]
        .map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }))
        .filter(
          ({ stat }) => stat !== undefined && (stat.mode & 0o777) !== (stat.isDirectory() ? 0o700 : 0o600),
        )
        .map(({ path, stat }) => `${path} ${(stat?.mode ?? 0).toString(8)}`);
    expect(readdirSync(join(evie.home, "sessions")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(
      1,
    );
    expect(readdirSync(join(evie.home, "files")).length).toBeGreaterThan(0);
    // pi makes its file as it likes, behind the closed door of the folder; the end of the run closes the file too.
    await expect.poll(open).toEqual([]);
    expect(await evie.stop()).toBe(0);
    expect(open()).toEqual([]);
    await model.close();
  });
});

describe("names of files are data", () => {
  const ODD = [
    { what: "a path", name: "../../etc/x.txt", shown: '"../../etc/x.txt"' },
    { what: "NUL in it, which is taken out", name: "a\0b.txt", shown: '"ab.txt"' },
    { what: "300 letters", name: `${"n".repeat(296)}.txt`, shown: `"${"n".repeat(296)}.txt"` },
    { what: "its end turned around", name: "photo\u202egnp.exe", shown: '"photo\\u202egnp.exe"' },
    { what: "nothing in it", name: "", shown: '"document"' },
    { what: "lines that look like evie's", name: 'x"]\n[File "y', shown: '"x\\"]\\n[File \\"y"' },
    { what: "a question mark", name: "a?b#c%2e.txt", shown: '"a?b#c%2e.txt"' },
    { what: "dots alone", name: "..", shown: '".."' },
    { what: "a name that another has", name: "same.txt", shown: '"same.txt"' },
    { what: "the same name again", name: "same.txt", shown: '"same.txt"' },
  ];

  test("odd ones reach the prompt, on one line each, and never the disk", async () => {
    let agentLog = "";
    await using evie = await startEvie({
      prepare: async (folder) => {
        agentLog = join(folder, "agent.log");
        return { FAKE_AGENT_LOG: agentLog };
      },
      env: { EVIE_AGENT_COMMAND: AGENT },
    });
    const anna = evie.visitor();
    for (const [index, { name }] of ODD.entries())
      anna.sendDocument(Buffer.from(`content ${index}`), { name });
    await anna.say(`odd ${script({ text: "Read." })}`);
    await anna.hears(final("Read."), "the answer");
    const prompts = (await readFile(agentLog, "utf8"))
      .split("\n")
      .flatMap((line) =>
        line === "" ? [] : [JSON.parse(line) as { record?: { type: string; message?: string } }],
      )
      .flatMap(({ record }) => (record?.type === "prompt" ? [record.message ?? ""] : []));
    expect(prompts).toHaveLength(1);
    const lines = (prompts[0] ?? "").split("\n\n");
    expect(lines).toHaveLength(ODD.length + 1);
    const paths = ODD.map(({ shown }, index) => {
      const line = lines[index] ?? "";
      const [, name, path = ""] = /^\[File (.*) \(9 B\) is at (\/.*)\]$/.exec(line) ?? [];
      expect({ index, name }).toEqual({ index, name: shown });
      expect(readFileSync(path, "utf8")).toBe(`content ${index}`);
      return path;
    });
    expect(new Set(paths).size).toBe(ODD.length);
    for (const path of paths) {
      expect(path.startsWith(join(evie.home, "files/"))).toBe(true);
      expect(path.slice(join(evie.home, "files/").length)).toMatch(/^[0-9a-f-]{36}(?:\.[a-z0-9]{1,10})?$/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(
      filesUnder(evie.folder).filter((file) => /etc|same|nnn/.test(file.slice(evie.folder.length))),
    ).toEqual([]);
  });
});
