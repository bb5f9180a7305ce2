import type { Clock } from "../../domain/clock.ts";
import type { AnswerValue, Question } from "../../domain/question.ts";
import { toJson } from "../../domain/text.ts";
import type { PiRecord } from "./protocol.ts";

export interface DialogsDeps {
  readonly clock: Clock;
  readonly writeLine: (line: string) => void;
  readonly ask: (question: Question) => void;
}

/** What an extension of pi's asks the person, and the answers. */
export interface Dialogs {
  /** A run has begun: from now on questions are passed on. */
  begin(): void;
  take(dialog: PiRecord & { readonly type: "dialog" }): void;
  answer(id: string, value: AnswerValue): void;
  /** The run is over, or shall be: what is open, and what comes until the next one begins, is answered as cancelled. */
  cancel(): void;
}

/** pi waits for an answer for ever, and its abort waits for it too: whatever nobody can answer is cancelled at once. */
export function createDialogs({ clock, writeLine, ask }: DialogsDeps): Dialogs {
  const open = new Map<string, Question["kind"]>();
  let passedOn = false;

  const respond = (id: string, fields: Readonly<Record<string, unknown>>): void => {
    writeLine(toJson({ type: "extension_ui_response", id, ...fields }));
  };

  return {
    begin: () => {
      passedOn = true;
    },
    take: (record) => {
      const { type: _type, timeoutMs, ...dialog } = record;
      if (!passedOn) return respond(dialog.id, { cancelled: true });
      open.set(dialog.id, dialog.kind);
      ask({ ...dialog, ...(timeoutMs === undefined ? {} : { expiresAt: clock.date() + timeoutMs }) });
    },
    answer: (id, value) => {
      const kind = open.get(id);
      if (kind === undefined) return;
      open.delete(id);
      if (value === null) respond(id, { cancelled: true });
      else if (kind === "confirm") respond(id, { confirmed: value === true });
      else respond(id, { value: String(value) });
    },
    cancel: () => {
      passedOn = false;
      for (const id of open.keys()) respond(id, { cancelled: true });
      open.clear();
    },
  };
}
