import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { startStandInModel } from "../../src/playground/stand-in-model.ts";
import { writeAgentFolder } from "../../src/playground/stand-in-model/agent-folder.ts";
import { openChat } from "./chat-page.ts";
import { startPlaygroundProcess } from "./running-playground.ts";

const FIXED = `const names = ["Ada", "Grace", "Edsger"];

for (const name of names) {
  console.log(\`Hello, \${name}!\`);
}
`;

const ANSWER = `The loop ends one short: \`i < names.length - 1\` leaves the last name out.

- **Edsger** is the one who is never greeted.
- A loop over the names themselves cannot miss one, so I have written it that way and run it:

\`\`\`js
for (const name of names) {
  console.log(\`Hello, \${name}!\`);
}
\`\`\`

All three are greeted now. Shall I add a test?`;

/** Draws the chat as the README shows it: a model of the person's own, which fixes the workspace's small fault. */
export async function drawReadmePicture(browser: Browser, path: string): Promise<void> {
  const model = await startStandInModel();
  const folder = await mkdtemp(join(tmpdir(), "evie-agent-"));
  try {
    await writeAgentFolder(folder, model.baseUrl);
    const models = join(folder, "models.json");
    await writeFile(models, (await readFile(models, "utf8")).replace('"Stand-in"', '"Your model"'));
    await using playground = await startPlaygroundProcess([], {
      PI_CODING_AGENT_DIR: folder,
      PI_OFFLINE: "1",
    });
    const look = { viewport: { width: 1180, height: 760 }, colorScheme: "light" } as const;
    const chat = await openChat(browser, playground.link, look);
    model.enqueue([
      { tools: [{ name: "bash", args: { command: "node greet.js" } }] },
      { tools: [{ name: "write", args: { path: "greet.js", content: FIXED } }] },
      { tools: [{ name: "bash", args: { command: "node greet.js" } }] },
      { text: ANSWER, delayMs: 15 },
    ]);
    await chat.say("greet.js forgets somebody. Find out why, and mend it.");
    await chat.answers.filter({ hasText: "Shall I add a test?" }).waitFor();
    await chat.page.locator(".typing:not(.shown)").waitFor({ state: "attached" });
    await chat.say("Yes, please.");
    await chat.page.locator(".step.burst").last().locator(".window-bar").waitFor();
    await chat.page.screenshot({ path });
    await chat.page.context().close();
  } finally {
    await model.close();
    await rm(folder, { recursive: true });
  }
}
