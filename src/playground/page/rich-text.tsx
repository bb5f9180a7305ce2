import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { browserClock } from "../../page-kit/browser-clock.ts";
import { CopyButton } from "../../page-kit/copy-button.tsx";
import type { MessageEntity } from "../bot-api/shapes.ts";
import { entityTree, type Piece, plain } from "./entity-tree.ts";

export interface RichTextProps {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** Sends a command that stands in the text. */
  readonly onCommand: (command: string) => void;
}

/** A message's text with its formatting. */
export function RichText({ text, entities, onCommand }: RichTextProps) {
  return <>{entityTree(text, entities).map((piece) => show(piece, onCommand))}</>;
}

function show(piece: Piece, onCommand: (command: string) => void): ComponentChildren {
  if (typeof piece === "string") return piece;
  const { entity } = piece;
  const inside = piece.pieces.map((each) => show(each, onCommand));
  switch (entity.type) {
    case "bold":
      return <strong>{inside}</strong>;
    case "italic":
      return <em>{inside}</em>;
    case "underline":
      return <u>{inside}</u>;
    case "strikethrough":
      return <s>{inside}</s>;
    case "code":
      return <code>{inside}</code>;
    case "pre":
      return <CodeBlock code={plain(piece)} language={entity.language ?? ""} />;
    case "blockquote":
      return <blockquote>{inside}</blockquote>;
    case "expandable_blockquote":
      return <Expandable>{inside}</Expandable>;
    case "spoiler":
      return <Spoiler>{inside}</Spoiler>;
    case "text_link":
      return <Link to={entity.url ?? ""}>{inside}</Link>;
    case "url": {
      const address = plain(piece);
      return <Link to={/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`}>{inside}</Link>;
    }
    case "email":
      return <Link to={`mailto:${plain(piece)}`}>{inside}</Link>;
    case "bot_command":
      return (
        <button type="button" class="inline-command" onClick={() => onCommand(plain(piece))}>
          {inside}
        </button>
      );
    case "mention":
    case "hashtag":
    case "text_mention":
      return <span class="marked">{inside}</span>;
    default:
      return inside;
  }
}

/** A link that opens beside the chat; what leads to nowhere safe is only text. */
export function Link({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  const protocol = URL.parse(to)?.protocol ?? "";
  // Anything else, such as javascript:, is text.
  if (!["http:", "https:", "mailto:"].includes(protocol)) return <>{children}</>;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer" title={to}>
      {children}
    </a>
  );
}

function CodeBlock({ code, language }: { readonly code: string; readonly language: string }) {
  return (
    <figure class={language === "" ? "code-block bare" : "code-block"}>
      <figcaption>
        <span>{language}</span>
        <CopyButton text={code} what="the code" labelled clock={browserClock} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}

function Spoiler({ children }: { readonly children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  if (open) return <span class="spoiler open">{children}</span>;
  return (
    <button
      type="button"
      class="spoiler"
      aria-label="Hidden text, press to read"
      onClick={() => setOpen(true)}
    >
      <span aria-hidden="true">{children}</span>
    </button>
  );
}

function Expandable({ children }: { readonly children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <blockquote class={open ? "" : "folded"}>
      {children}
      <button type="button" class="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Show less" : "Show more"}
      </button>
    </blockquote>
  );
}
