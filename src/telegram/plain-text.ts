import type { FormattedText } from "./entities.ts";

/** Tells whether a page has something to tap. */
export function hasLinks({ entities }: FormattedText): boolean {
  return entities.some(({ type }) => type === "text_link");
}

/** The same text with all entities but the links. */
export function withoutLinks({ text, entities }: FormattedText): FormattedText {
  return { text, entities: entities.filter(({ type }) => type !== "text_link") };
}

/** The text alone. */
export function withoutEntities({ text }: FormattedText): FormattedText {
  return { text, entities: [] };
}
