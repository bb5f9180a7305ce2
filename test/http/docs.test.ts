import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Port } from "../../src/http/port.ts";
import { answers, createHttpRig, openHttp, TOKEN } from "./rig.ts";

const run = promisify(execFile);
const page = readFileSync(new URL("../../docs/http-api.md", import.meta.url), "utf8");

/** The examples of the page, each with what its answer must hold. */
const examples = [...page.matchAll(/```sh\n([^]*?)```\n(?:\n```(?:json|text)\n([^]*?)```)?/g)].map(
  ([, command = "", answer = ""]) => ({ command, answer }),
);

describe("the page on the HTTP API", () => {
  const rig = createHttpRig();
  let server: Port;
  let shell: string;

  beforeAll(async () => {
    const { sessions, clock } = rig;
    server = await openHttp(rig);
    rig.port.number = server.number;
    const session = sessions.create({ face: "deck", name: "Example" });
    mkdirSync(join(rig.workspace, "project"));
    // Every prompt is answered, whenever it comes.
    const answering = setInterval(() => {
      void clock.settle().then(() => {
        const agent = rig.started.at(-1);
        agent?.getReady();
        const open = agent?.runs.find(({ prompt }) => !answered.has(prompt));
        if (agent === undefined || open === undefined) return;
        answered.add(open.prompt);
        for (const event of answers(`a${answered.size}`, "Four.")) agent.emit(event);
        open.end();
      });
    }, 20);
    stop = () => clearInterval(answering);
    shell = [
      `token=${TOKEN}`,
      `evie=http://127.0.0.1:${server.number}`,
      `id=${session.id}`,
      `home=${rig.folder}`,
    ].join("\n");
  });
  const answered = new Set<object>();
  let stop = (): void => undefined;

  afterAll(async () => {
    stop();
    await server.close();
    rig[Symbol.dispose]();
  });

  test("has examples", () => {
    expect(examples.length).toBeGreaterThan(8);
  });

  test.each(examples)("shows a command that works: $command", async ({ command, answer }) => {
    // The page sets these once, from where evie keeps them.
    const lines = command.replace(/^(token|evie|id)=.*$/gm, "");
    const { stdout } = await run("bash", ["-euc", `${shell}\n${lines}`], {
      env: { PATH: process.env["PATH"] },
      timeout: 15_000,
    });
    expect(stdout).not.toContain('"error"');
    for (const word of answer.matchAll(/"(\w+)":/g)) expect(stdout).toContain(`"${word[1]}":`);
  });
});
