import { useRef } from "preact/hooks";
import type { Rendered } from "./markdown.ts";
import { usePage } from "./page.ts";

/** A text of the agent's. While it grows, only the block that is open is parsed and drawn anew. */
export function MarkdownView({ text }: { readonly text: string }) {
  const { markdown } = usePage();
  const last = useRef<Rendered | undefined>(undefined);
  if (last.current?.text !== text) last.current = markdown.render(text, last.current);
  return (
    <div class="text">
      {last.current.blocks.map((html, index) => (
        <div key={index} dangerouslySetInnerHTML={{ __html: html }} />
      ))}
    </div>
  );
}
