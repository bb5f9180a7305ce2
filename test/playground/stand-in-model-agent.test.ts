import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startStandInModel } from "../../src/playground/stand-in-model.ts";
import { writeAgentFolder } from "../../src/playground/stand-in-model/agent-folder.ts";

/** The smallest picture there is: one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const PI = fileURLToPath(
  new URL("../../node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js", import.meta.url),
);

/** The real agent in a folder of its own; `prompt` resolves with the last answer's text when the agent has settled. */
async function startAgent() {
  const model = await startStandInModel();
  const folder = await mkdtemp(join(tmpdir(), "evie-stand-in-"));
  await writeAgentFolder(join(folder, "agent"), model.baseUrl);
  const agent = spawn(process.execPath, [PI, "--mode", "rpc", "--session", join(folder, "session.jsonl")], {
    cwd: folder,
    env: { ...process.env, PI_CODING_AGENT_DIR: join(folder, "agent"), PI_OFFLINE: "1", PI_TELEMETRY: "0" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = once(agent, "exit");
  onTestFinished(async () => {
    agent.stdin.end();
    await exited;
    await model.close();
    await rm(folder, { recursive: true });
  });

  const lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
  const prompt = async (fields: object): Promise<string> => {
    agent.stdin.write(`${JSON.stringify({ type: "prompt", ...fields })}\n`);
    let text = "";
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new Error("the agent ended");
      const record = JSON.parse(line.value);
      if (record.type === "agent_settled") return text;
      if (record.type !== "message_end" || record.message.role !== "assistant") continue;
      text = record.message.content.map((content: { text?: string }) => content.text ?? "").join("");
    }
  };
  return { model, prompt };
}

test("the real agent finds the stand-in: words, pictures and tools go through it", async () => {
  const { model, prompt } = await startAgent();

  expect(await prompt({ message: 'MOCK{"text":"good morning"}' })).toBe("good morning");

  const images = [{ type: "image", data: PIXEL, mimeType: "image/png" }];
  expect(await prompt({ message: "look", images })).toContain("image/png, 70 bytes");
  expect(model.requests[1]?.messages.at(-1)?.images).toMatchObject([{ mimeType: "image/png", size: 70 }]);
  expect(model.requests[1]?.tools).toContain("bash");

  expect(await prompt({ message: "run echo $((6*7))" })).toBe("`echo $((6*7))` said:\n\n```\n42\n```");
});
