import type { FormattedText } from "./entities.ts";
import { saysTarget } from "./markdown/links.ts";
import { messageLimits } from "./paginate.ts";

interface Address {
  /** Where the link begins and ends whose address it is. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * A page with its links as text: the address stands in brackets behind the words, unless they say it. An address for
 * which the message has no room is left out.
 */
export function withoutLinks(page: FormattedText): FormattedText {
  if (!hasLinks(page)) return page;
  const addresses = addressesOf(page);
  let text = "";
  let done = 0;
  for (const { to, text: address } of addresses) {
    text += page.text.slice(done, to) + address;
    done = to;
  }
  const moved = (isBehind: (address: Address) => boolean): number =>
    addresses.filter(isBehind).reduce((sum, address) => sum + address.text.length, 0);
  const entities = page.entities.flatMap((entity) => {
    if (entity.type === "text_link") return [];
    const end = entity.offset + entity.length;
    const start = entity.offset + moved(({ to }) => to <= entity.offset);
    // What the link stands in goes on to the end of the address: a spoiler hides that, too.
    const newEnd = end + moved(({ from, to }) => to < end || (to === end && entity.offset <= from));
    return [{ ...entity, offset: start, length: newEnd - start }];
  });
  return { text: text + page.text.slice(done), entities };
}

/** A page as nothing but text. */
export function withoutEntities(page: FormattedText): FormattedText {
  return { text: withoutLinks(page).text, entities: [] };
}

export function hasLinks({ entities }: FormattedText): boolean {
  return entities.some(({ type }) => type === "text_link");
}

function addressesOf({ text, entities }: FormattedText): readonly Address[] {
  let room = messageLimits.units - text.length;
  const addresses: Address[] = [];
  for (const entity of entities) {
    if (entity.type !== "text_link") continue;
    const to = entity.offset + entity.length;
    const address = ` (${entity.url})`;
    if (saysTarget(text.slice(entity.offset, to), entity.url) || address.length > room) continue;
    room -= address.length;
    addresses.push({ from: entity.offset, to, text: address });
  }
  return addresses;
}
