import { useRef } from "preact/hooks";
import type { Rendered } from "./markdown.ts";
import { usePage } from "./page.ts";

export interface MarkdownViewProps {
  readonly text: string;
  /** Whether more may come. */
  readonly isOpen: boolean;
}

/** A text of the agent's. While it grows, only the block that is open is parsed and drawn anew. */
export function MarkdownView({ text, isOpen }: MarkdownViewProps) {
  const { markdown } = usePage();
  const last = useRef<(MarkdownViewProps & { readonly rendered: Rendered }) | undefined>(undefined);
  if (last.current?.text !== text || last.current.isOpen !== isOpen) {
    // Once it stands it is parsed as a whole: an address may have been named after the block that uses it.
    const before = isOpen ? last.current?.rendered : undefined;
    last.current = { text, isOpen, rendered: markdown.render(text, before) };
  }
  return (
    <div class="text">
      {last.current.rendered.blocks.map((html, index) => (
        <div key={index} dangerouslySetInnerHTML={{ __html: html }} />
      ))}
    </div>
  );
}
