import { emptyText, joinFormatted, type FormattedText } from "../entities.ts";
import { composeBlock } from "./blocks.ts";
import { endLineOf, startLineOf, type Parsed } from "./parse.ts";

export function composeDocument(
  _source: string,
  { blocks, references }: Parsed,
  _options: { readonly streaming: boolean },
): FormattedText {
  let whole = emptyText;
  let end = 0;
  for (const node of blocks) {
    const block = composeBlock(node, references);
    if (block.text === "") continue;
    if (whole.text !== "")
      whole = joinFormatted(whole, { text: startLineOf(node) - end > 1 ? "\n\n" : "\n", entities: [] });
    whole = joinFormatted(whole, block);
    end = endLineOf(node);
  }
  return whole;
}
