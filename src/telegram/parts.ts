import type { Update } from "grammy/types";
import type { ChatPlace } from "../domain/ids.ts";
import type { Attachment, FetchAttachment } from "./attachments.ts";
import { type FileReference, isOtherFile } from "./carried-file.ts";
import { inPlaceOf, type WaitingPart } from "./draft.ts";
import { type Incoming, type IncomingEdit, receive, type Recipient } from "./receive.ts";
import { labels, replies } from "./words.ts";

export interface PartsOptions {
  readonly recipient: Recipient;
  readonly fetchAttachment: FetchAttachment;
  /** Says to a chat that a file of a message cannot be had, though somebody still waits for it. */
  readonly tell: (place: ChatPlace, messageId: number, text: string) => void;
}

/** Makes parts of messages. */
export interface Parts {
  /** The part of a message that came with that update. Its download begins. */
  of(message: Incoming, updateId: number): WaitingPart;
  /**
   * The part as its author has made it with that update. Where there is another file in it, that one's download begins;
   * of the two files the caller releases the one that is not wanted.
   */
  edited(part: WaitingPart, edit: IncomingEdit, updateId: number): WaitingPart;
  /**
   * The parts of a prompt's updates, as they were at its flush: files are fetched anew, texts are those that their
   * authors made of them. A button that asks for it again becomes one line in front.
   */
  recall(updates: readonly Update[]): readonly WaitingPart[];
}

/** What a button says that asks a prompt again, or one that was never asked; the turn's id follows. */
export const AGAIN = "again:";
/** What a button says that lets in what the chat wrote and what waits; the id follows of the turn that waited when it was shown. */
export const NOW = "now:";
export const ASK = "ask:";
/** The same for a prompt whose author has changed it since the agent took it: it is asked as it is now. */
export const EDITED = "edited:";

/** What the agent is told in front of a prompt that a press of that button asks. */
function labelOf(data: string): string {
  if (data.startsWith(AGAIN)) return labels.again;
  return data.startsWith(EDITED) ? labels.edited : "";
}

export function createParts({ recipient, fetchAttachment, tell }: PartsOptions): Parts {
  type MissingWords = (name: string, reason: string) => string;

  function fetch(
    { place, messageId }: Incoming | IncomingEdit,
    file: FileReference,
    words: MissingWords,
  ): Attachment {
    const attachment = fetchAttachment(file);
    void attachment.settled.then((attached) => {
      if (attached.type !== "missing" || attachment.released) return;
      tell(place, messageId, words(attached.name, attached.reason));
    });
    return attachment;
  }

  function partOf(message: Incoming, updateId: number): WaitingPart {
    const { messageId, text, context, file, replied, behindCommand } = message;
    return {
      sources: [updateId],
      messageId,
      text,
      ...(behindCommand === undefined ? {} : { behindCommand }),
      ...(context === undefined ? {} : { context }),
      ...(file === undefined ? {} : { attachment: fetch(message, file, replies.fileMissing) }),
      ...(replied === undefined ? {} : { replied: fetch(message, replied, replies.repliedFileMissing) }),
    };
  }

  function editedPart(part: WaitingPart, edit: IncomingEdit, updateId: number): WaitingPart {
    const text = part.behindCommand === undefined ? edit.text : (edit.behindCommand ?? edit.text);
    const { file } = edit;
    const isOther =
      file !== undefined && part.attachment !== undefined && isOtherFile(file, part.attachment.file);
    return {
      ...part,
      text,
      sources: [...part.sources, updateId],
      ...(isOther ? { attachment: fetch(edit, file, replies.fileMissing) } : {}),
    };
  }

  return {
    of: partOf,
    edited: editedPart,
    recall(updates) {
      const parts: WaitingPart[] = [];
      const presses: number[] = [];
      /** The newest press is the first, and says how often it is asked by now. */
      let label: string | undefined;
      for (const update of updates) {
        const received = receive(update, recipient);
        if (received.type === "content") parts.push(partOf(received, update.update_id));
        // Whatever a prompt is made of is content.
        if (received.type === "command") parts.push(partOf(received.whole, update.update_id));
        if (received.type === "press") {
          presses.push(update.update_id);
          label ??= labelOf(received.data);
        }
        if (received.type !== "edit") continue;
        const at = parts.findIndex(({ messageId }) => messageId === received.messageId);
        const part = parts[at];
        if (part !== undefined) parts[at] = inPlaceOf(part, editedPart(part, received, update.update_id));
      }
      const [first] = parts;
      if (first === undefined || presses.length === 0) return parts;
      const context = label === undefined || label === "" ? {} : { context: label };
      return [{ sources: presses, messageId: first.messageId, text: "", ...context }, ...parts];
    },
  };
}
