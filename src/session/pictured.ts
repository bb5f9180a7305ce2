import type { AgentEvent, Content } from "../domain/events.ts";
import type { SessionId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Prompt } from "../domain/prompt.ts";
import { pictureUrl } from "../domain/wire.ts";
import type { PictureLedger } from "./ledger.ts";

export interface PicturedOptions {
  readonly id: SessionId;
  readonly ledger: PictureLedger;
  readonly log: Log;
}

/** Puts the pictures of a prompt back into the person's message: an agent tells its words only, or the data itself. */
export interface Pictured {
  /** A prompt is being handed over: the next message of the person's is its. Its pictures are kept. */
  expect(prompt: Prompt): void;
  add(event: AgentEvent): AgentEvent;
}

export function createPictured({ id, ledger, log }: PicturedOptions): Pictured {
  let expected: readonly Content[] = [];
  let found: { readonly key: string; readonly pictures: readonly Content[] } | undefined;

  return {
    expect({ images }) {
      found = undefined;
      expected = images.flatMap((image): Content[] => {
        try {
          const url = pictureUrl(id, ledger.keep(id, image));
          return [{ type: "image", mimeType: image.mimeType, url }];
        } catch (error) {
          log.warn({ err: error, session: id }, "a picture could not be kept");
          return [];
        }
      });
    },
    add(event) {
      if (event.type !== "message_start" && event.type !== "message_end") return event;
      const { key, message } = event;
      if (message.role === "user" && expected.length > 0) {
        found = { key, pictures: expected };
        expected = [];
      }
      if (found?.key !== key) return event;
      return { ...event, message: { ...message, content: [...message.content, ...found.pictures] } };
    },
  };
}
