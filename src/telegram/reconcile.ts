import { equalFormatted, sliceFormatted, type Entity, type FormattedText } from "./entities.ts";
import { hasLinks, withoutEntities, withoutLinks } from "./plain-text.ts";

/**
 * What a message stands without because Telegram refused it: nothing, its links, or all of its entities. Until its
 * final text, which tries them once more, or for good, because that was refused too.
 */
export type Plainness = false | "no links until final" | "until final" | "no links for good" | "for good";

/** A message as the chat has it. */
export interface ShownMessage {
  readonly messageId: number;
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly plain: Plainness;
}

/** Puts a page into the chat. `page` counts from 0 and is its place in the answer. */
export type PageOperation =
  | { readonly type: "send"; readonly page: number; readonly content: FormattedText }
  | {
      readonly type: "edit";
      readonly page: number;
      readonly messageId: number;
      readonly content: FormattedText;
    };

export type Operation = PageOperation | { readonly type: "delete"; readonly messageId: number };

export interface ReconcileOptions {
  /** The wanted pages are the answer's last state. */
  readonly final: boolean;
}

/**
 * What to do, in this order, so that the chat shows the wanted pages: edits and sends in the order of the pages,
 * then deletions from the end. A page that reads the same already is left alone, also if it differs only in the white
 * space that Telegram takes from a message's ends.
 */
export function reconcile(
  shown: readonly ShownMessage[],
  wanted: readonly FormattedText[],
  { final }: ReconcileOptions,
): readonly Operation[] {
  const changes = wanted.flatMap((page, at): readonly Operation[] => {
    const message = shown[at];
    if (message === undefined) return [{ type: "send", page: at, content: page }];
    const content = asFarAsTaken(page, message, final);
    if (equalFormatted(trimmed(message), trimmed(content))) return [];
    return [{ type: "edit", page: at, messageId: message.messageId, content }];
  });
  const surplus = shown.slice(wanted.length).toReversed();
  return [...changes, ...surplus.map(({ messageId }): Operation => ({ type: "delete", messageId }))];
}

/** What follows when Telegram refused a page's entities. */
export interface PlainPlan {
  /** The same page without its links, or without any entities; nothing if the message reads so already. */
  readonly operation: PageOperation | undefined;
  /** How the message is to be remembered. */
  readonly plain: Plainness;
}

/**
 * Plans the page without its links, and where it has none without any entities: most often one address is all that
 * Telegram does not take. `shown` is the message that the refused operation was to edit.
 */
export function planPlain(
  refused: PageOperation,
  shown: ShownMessage | undefined,
  { final }: ReconcileOptions,
): PlainPlan {
  const keepsOthers = hasLinks(refused.content);
  const content = keepsOthers ? withoutLinks(refused.content) : withoutEntities(refused.content);
  const reads = shown !== undefined && equalFormatted(trimmed(shown), trimmed(content));
  const until = final ? "for good" : "until final";
  return {
    operation: reads ? undefined : { ...refused, content },
    plain: keepsOthers ? `no links ${until}` : until,
  };
}

function asFarAsTaken(page: FormattedText, { plain }: ShownMessage, final: boolean): FormattedText {
  switch (plain) {
    case false:
      return page;
    case "no links until final":
      return final ? page : withoutLinks(page);
    case "until final":
      return final ? page : withoutEntities(page);
    case "no links for good":
      return withoutLinks(page);
    case "for good":
      return withoutEntities(page);
  }
}

function trimmed({ text, entities }: FormattedText): FormattedText {
  const end = text.trimEnd().length;
  const start = Math.min(text.length - text.trimStart().length, end);
  return sliceFormatted({ text, entities }, start, end);
}
