import type { List, ListItem } from "mdast";
import { numberBehind, type Numbered } from "../../domain/markdown/numbers.ts";

declare module "mdast" {
  interface ListItemData {
    /** The marker as it was written: `-`, `7.`, `7)`. */
    marker?: string;
  }
  interface ListData {
    /** The item that the list goes on behind, where its beginning was rendered before. */
    behind?: Numbered | undefined;
  }
}

/** Numbers the items of a list that is numbered. */
export function numberItems({ children, data }: List): readonly Numbered[] {
  const numbers: Numbered[] = [];
  for (const { data: item } of children) {
    const written = Number.parseInt(item?.marker ?? "1", 10);
    numbers.push(numberBehind(numbers.at(-1) ?? data?.behind, written));
  }
  return numbers;
}

/** How an item's marker is shown, with the box of a task. */
export function shownMarker({ checked, data }: ListItem, number: Numbered | undefined): string {
  const box = checked === true ? "☑ " : checked === false ? "☐ " : "";
  if (number === undefined) return box === "" ? "• " : box;
  return `${number.shown}${data?.marker?.at(-1) ?? "."} ${box}`;
}
