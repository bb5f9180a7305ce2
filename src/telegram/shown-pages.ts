import type { TurnId } from "../domain/ids.ts";
import type { Log } from "../domain/log.ts";
import type { Answer, Call } from "./calls.ts";
import type { FormattedText } from "./entities.ts";
import { type Operation, planPlain, reconcile, type ShownMessage } from "./reconcile.ts";

/** What one answer's pages are in the chat at the moment, and what must be done so that they are others. */
export interface ShownPages {
  /** There is no page yet, or none any more. */
  readonly none: boolean;
  /** The text of the last page. */
  readonly lastText: string | undefined;
  /** A page does not read as it should, because Telegram would not have it so. */
  readonly refused: boolean;
  /** The calls that make the chat show these pages, in order. None when it does. */
  calls(wanted: readonly FormattedText[], options: { readonly final: boolean }): readonly PageCall[];
  /** The messages that are in the chat, as they were last known to be. */
  readonly messages: readonly ShownMessage[];
  /** What became of the first of those calls. Gives how urgent another call for the same page is, if it needs one. */
  heard(answer: Answer): PageUrgency | undefined;
}

export type PageCall = Exclude<Call, { readonly type: "typing" | "probe" | "document" }>;
type PageUrgency = "message" | "edit";

interface ShownPage extends ShownMessage {
  /** Nobody heard what became of its last edit: it may read so or as before. */
  readonly inDoubt: boolean;
  /** It was sent because another message was gone. */
  readonly isAnew: boolean;
  /** It was gone even so: whoever deletes twice does not want the page. */
  readonly isUnwanted: boolean;
  /** Telegram did not take what it is remembered to read. */
  readonly isRefused: boolean;
}

/** No message has this id. It stands for a page that is not in the chat: lost, or not taken. */
const NOWHERE = 0;

const certain = { inDoubt: false, isAnew: false, isUnwanted: false, isRefused: false } as const;
const notThere = { messageId: NOWHERE, text: "", entities: [], plain: false, ...certain } as const;

export interface ShownPagesOptions {
  /** For the log. */
  readonly turn: TurnId;
  readonly log: Log;
  /** What the chat shows of the turn from before. */
  readonly before?: readonly ShownMessage[];
}

export function createShownPages({ turn, log, before = [] }: ShownPagesOptions): ShownPages {
  // The last message may have been under way to another text when what is known of it was written down.
  const shown: ShownPage[] = before.map((message, at) => ({
    ...certain,
    ...message,
    inDoubt: at === before.length - 1,
  }));
  let asked: { readonly operation: Operation; readonly final: boolean } | undefined;

  /** A page that should be there and is not in the chat is sent instead of edited. */
  function operations(wanted: readonly FormattedText[], final: boolean): readonly Operation[] {
    // What is in doubt reads like nothing that is wanted, or a look that has passed would stay for ever.
    const known = shown.map((page) => (page.inDoubt ? { ...page, text: "", entities: [] } : page));
    return reconcile(known, wanted, { final }).flatMap((operation): readonly Operation[] => {
      if (operation.type !== "edit") return [operation];
      if (shown[operation.page]?.isUnwanted === true) return [];
      if (operation.messageId !== NOWHERE) return [operation];
      return [{ type: "send", page: operation.page, content: operation.content }];
    });
  }

  /** Pages that are not in the chat need no deletion there. */
  function forgetLost(wanted: number): void {
    while (shown.length > wanted && shown.at(-1)?.messageId === NOWHERE) shown.pop();
  }

  function remember(operation: Operation, messageId: number | undefined, isRefused = false): void {
    if (operation.type === "delete") {
      const at = shown.findIndex((page) => page.messageId === operation.messageId);
      if (at !== -1) shown.splice(at, 1);
      return;
    }
    const before = shown[operation.page] ?? notThere;
    shown[operation.page] = {
      ...before,
      ...operation.content,
      messageId: messageId ?? before.messageId,
      inDoubt: false,
      isRefused,
    };
  }

  /** The last call was not answered. */
  function doubt(operation: Operation): void {
    if (operation.type === "send") return;
    const at = shown.findIndex(({ messageId }) => messageId === operation.messageId);
    const page = shown[at];
    if (page !== undefined) shown[at] = { ...page, inDoubt: true };
  }

  /**
   * The message of a page is gone. The messages behind it move up by one, and what the last of them held is sent
   * anew: a page that came back behind its followers would be out of order.
   */
  function lose(page: number): PageUrgency {
    const isUnwanted = shown[page]?.isAnew === true;
    const behind = shown.flatMap(({ messageId }, at) =>
      !isUnwanted && at > page && messageId !== NOWHERE ? [at] : [],
    );
    let to = page;
    for (const from of behind) {
      shown[to] = { ...(shown[from] ?? notThere), plain: shown[to]?.plain ?? false };
      to = from;
    }
    shown[to] = { ...notThere, plain: shown[to]?.plain ?? false, isAnew: true, isUnwanted };
    return behind.length === 0 ? "message" : "edit";
  }

  function goPlain(operation: Exclude<Operation, { readonly type: "delete" }>, final: boolean): PageUrgency {
    const page = shown[operation.page];
    const { plain } = planPlain(operation, page, { final });
    shown[operation.page] = { ...(page ?? notThere), plain };
    return urgencyOf(operation);
  }

  return {
    get none() {
      return shown.length === 0;
    },
    get lastText() {
      return shown.at(-1)?.text;
    },

    get refused() {
      return shown.some(({ isRefused }) => isRefused);
    },

    get messages() {
      return shown
        .filter(({ messageId }) => messageId !== NOWHERE)
        .map(({ messageId, text, entities, plain }) => ({ messageId, text, entities, plain }));
    },

    calls(wanted, { final }) {
      if (asked !== undefined) doubt(asked.operation);
      forgetLost(wanted.length);
      const all = operations(wanted, final);
      const [operation] = all;
      asked = operation === undefined ? undefined : { operation, final };
      return all.map(callOf);
    },

    heard(answer) {
      if (asked === undefined) return undefined;
      const { operation, final } = asked;
      asked = undefined;
      switch (answer.type) {
        case "done":
          remember(operation, answer.messageId);
          return undefined;
        case "entities_refused":
          if (operation.type === "delete") break;
          if (operation.content.entities.length === 0) break;
          log.warn({ turn, description: answer.description }, "Telegram refused an answer's entities");
          return goPlain(operation, final);
        case "target_gone":
          if (operation.type !== "edit") break;
          return lose(operation.page);
        default:
      }
      log.error({ turn, answer }, "Telegram refused a part of an answer");
      // As if it were shown, or it would be tried for ever.
      remember(operation, undefined, true);
      return undefined;
    },
  };
}

function urgencyOf(operation: Operation): PageUrgency {
  return operation.type === "send" ? "message" : "edit";
}

function callOf(operation: Operation): PageCall {
  switch (operation.type) {
    case "send":
      return { type: "send", content: operation.content, silent: true };
    case "edit":
      return { type: "edit", messageId: operation.messageId, content: operation.content };
    case "delete":
      return { type: "delete", messageId: operation.messageId };
  }
}
