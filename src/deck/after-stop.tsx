import { useState } from "preact/hooks";
import { Icon } from "../page-kit/icon.tsx";
import { MessageRow } from "./message-row.tsx";
import type { Row } from "./rows.ts";

/** What an agent that did not stop at once went on to say and do, folded: it is no part of the answer. */
export function AfterStop({ rows }: { readonly rows: readonly Row[] }) {
  const [open, setOpen] = useState(false);
  return (
    <li class="row after-stop">
      <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="open" />
        <span>The agent went on after it was told to stop</span>
      </button>
      {open ? (
        <ol>
          {rows.map((row) => (
            <MessageRow key={row.key} row={row} />
          ))}
        </ol>
      ) : null}
    </li>
  );
}
