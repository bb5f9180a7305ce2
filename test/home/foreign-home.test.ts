import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { listing } from "../fakes/listing.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

test.each([
  { command: [], token: "123456789:AAnobodyKnowsThisOne" },
  { command: ["start"], token: "" },
  { command: ["playground", "--stand-in"], token: "" },
  { command: ["unclaim"], token: "" },
])(
  "evie $command leaves somebody else's folder as it is, and says so",
  async ({ command, token }) => {
    const root = mkdtempSync(join(tmpdir(), "evie-foreign-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const home = join(root, "home");
    mkdirSync(join(home, "files"), { recursive: true });
    writeFileSync(join(home, "files/holiday.jpg"), "");
    // The settings there are another program's, so nothing of them is told either.
    writeFileSync(join(home, ".env"), "EVIE_HTTP_PORT=nonsense\n");
    const before = listing(root);
    const env = { PATH: process.env["PATH"], HOME: root, EVIE_HOME: home, TELEGRAM_BOT_TOKEN: token };
    const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
      const options = { env, cwd: root, timeout: 20_000 };
      const child = execFile(process.execPath, [MAIN, ...command], options, (_error, _stdout, text) =>
        resolve({ code: child.exitCode, stderr: text }),
      );
    });
    expect(stderr).toMatch(
      /^evie: EVIE_HOME \(.*home\) cannot be used: it holds what is not evie's \(files\)\. Set/,
    );
    expect(code).toBe(78);
    expect(listing(root)).toEqual(before);
  },
  30_000,
);
