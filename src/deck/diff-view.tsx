import { useMemo } from "preact/hooks";
import { CopyButton } from "../page-kit/copy-button.tsx";
import { diffLines, withContext } from "./diff.ts";
import { usePage } from "./page.ts";
import type { Edit } from "./tool-call.ts";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;

/** What an edit changes, line by line. */
export function DiffView({ edit: { before, after }, path }: { readonly edit: Edit; readonly path: string }) {
  const { clock } = usePage();
  const lines = useMemo(() => withContext(diffLines(before, after)), [before, after]);
  return (
    <figure class="code-block diff">
      <figcaption>
        <span>{path}</span>
        <CopyButton text={after} what="the new text" clock={clock} />
      </figcaption>
      <pre tabIndex={0}>
        {lines.map((line, index) =>
          line === undefined ? (
            <span key={index} class="gap">
              ⋯
            </span>
          ) : (
            <span key={index} class={line.kind}>
              <i>{SIGNS[line.kind]}</i>
              {line.text}
              {"\n"}
            </span>
          ),
        )}
      </pre>
    </figure>
  );
}
