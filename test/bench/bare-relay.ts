import { spawn } from "node:child_process";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { DEBOUNCE_WINDOW } from "../../src/telegram/timing.ts";

/*
 * The least that could be called evie, as a yardstick for the machine that measures: polls the Bot API at BOT_API,
 * waits out the window, writes each text to the agent of AGENT and parses what that says. It answers nobody.
 */
const { BOT_API = "", AGENT = "" } = process.env;

const agent = spawn(process.execPath, [AGENT], { stdio: ["pipe", "pipe", "inherit"] });
let rest = "";
agent.stdout.setEncoding("utf8");
agent.stdout.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) JSON.parse(line);
});

let offset = 0;
for (;;) {
  const answer = await fetch(`${BOT_API}/getUpdates?timeout=30&offset=${offset}`);
  const { result } = (await answer.json()) as {
    result: readonly { readonly update_id: number; readonly message: { readonly text: string } }[];
  };
  for (const { update_id: id, message } of result) {
    offset = id + 1;
    void sleep(DEBOUNCE_WINDOW).then(() =>
      agent.stdin.write(`${JSON.stringify({ id: `${id}`, type: "prompt", message: message.text })}\n`),
    );
  }
}
