import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Makes `folder` a configuration folder of pi (its PI_CODING_AGENT_DIR) in which the stand-in at `baseUrl` is the
 * only model. Files of the same name are overwritten; the folder is made when it is missing.
 */
export async function writeAgentFolder(folder: string, baseUrl: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "models.json"), json({ providers: { [PROVIDER]: provider(baseUrl) } }));
  await writeFile(join(folder, "settings.json"), json({ defaultProvider: PROVIDER, defaultModel: MODEL }));
}

const PROVIDER = "stand-in";
/** The name of the one model that the stand-in offers. */
export const MODEL = "stand-in-1";

function provider(baseUrl: string): object {
  return {
    baseUrl,
    api: "openai-completions",
    // The agent refuses a provider without a key; the stand-in never looks at it.
    apiKey: "none",
    models: [
      {
        id: MODEL,
        name: "Stand-in",
        reasoning: false,
        // Without "image" the agent leaves pictures out, silently.
        input: ["text", "image"],
        contextWindow: 128_000,
        maxTokens: 8192,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      },
    ],
  };
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
