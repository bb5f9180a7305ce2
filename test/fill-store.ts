import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { realClock } from "../src/clock.ts";
import type { Message } from "../src/domain/events.ts";
import { makeChatKey, makeSessionId } from "../src/domain/ids.ts";
import { openStore } from "../src/store/store.ts";

export interface Filling {
  readonly sessions: number;
  /** Of each session. */
  readonly messages: number;
  /** Characters of a message. */
  readonly length: number;
  /** The chat of the first session; each session is another chat's. */
  readonly firstChat: number;
}

/** Fills the store of an evie that does not run with chats that each speak with a session of their own. */
export async function fillStore(home: string, cwd: string, filling: Filling): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const { store } = openStore(join(home, "evie.db"), realClock);
  try {
    for (let number = 0; number < filling.sessions; number += 1) {
      const id = makeSessionId();
      store.together(() => {
        store.sessions.add({ id, cwd, face: "telegram", createdAt: realClock.date() });
        for (let key = 0; key < filling.messages; key += 1)
          store.messages.save(id, messageOf(key, filling.length));
        store.chats.point(makeChatKey({ chatId: filling.firstChat + number }), id);
      });
    }
  } finally {
    store.close();
  }
}

function messageOf(key: number, length: number): Message {
  const text = `${key} ${"lorem ipsum ".repeat(Math.ceil(length / 12))}`;
  const role = key % 2 === 0 ? "user" : "assistant";
  return { key: `m-${key}`, role, at: key, content: [{ type: "text", text }], stopReason: "stop" };
}
