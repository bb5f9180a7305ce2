import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isRecord } from "../jsonl.ts";
import { createLineSplitter } from "../jsonl.ts";

/**
 * Tells whether a session file of pi's holds a message of a person's behind its first `offset` bytes: then the prompt
 * that was handed over when the file had that size is in the agent's history. A file that became shorter was written
 * anew, and is looked at from its beginning, up to the first such message. It is read in pieces; at most one entry is
 * held at a time. Rejects when it cannot be read. No agent may write it meanwhile.
 */
export async function tookPrompt(sessionFile: string, offset: number): Promise<boolean> {
  const file = await open(sessionFile, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    const stat = await file.stat();
    // A pipe would keep us waiting for its other end.
    if (!stat.isFile()) throw new Error(`${sessionFile} is not a file`);
    const { size } = stat;
    let found = false;
    const lines = createLineSplitter((line) => {
      found ||= isPersonsMessage(line);
    });
    const start = size < offset ? 0 : offset;
    for await (const chunk of file.createReadStream({ start, autoClose: false })) {
      lines.push(chunk as Buffer);
      if (found) return true;
    }
    lines.end();
    return found;
  } finally {
    await file.close();
  }
}

function isPersonsMessage(line: string): boolean {
  try {
    const entry: unknown = JSON.parse(line);
    if (!isRecord(entry) || entry["type"] !== "message") return false;
    const { message } = entry;
    return isRecord(message) && message["role"] === "user";
  } catch {
    // An entry that was cut by a crash was not a whole message.
    return false;
  }
}
