import { memo } from "preact/compat";
import { Icon } from "../../page-kit/icon.tsx";
import type { ChatMessage } from "../wire.ts";
import { Files } from "./files.tsx";
import { MessageMenu, type MessageActions } from "./message-menu.tsx";
import { Link, RichText } from "./rich-text.tsx";
import { type Row, sameRow } from "./rows.ts";
import { dayOf, exactTimeOf, timeOf } from "./words.ts";

export interface BubbleProps {
  readonly row: Row;
  readonly actions: MessageActions;
}

/** One message, or one album, with what can be done with it. */
export const Bubble = memo(DrawnBubble, (before: BubbleProps, after: BubbleProps) =>
  sameRow(before.row, after.row),
);

function DrawnBubble({ row, actions }: BubbleProps) {
  const [head] = row.messages;
  const last = row.messages.at(-1);
  if (head === undefined || last === undefined) return null;
  const worded = row.messages.filter(({ text }) => text !== "");
  const files = row.messages.filter(({ file }) => file !== undefined);
  const place = `${head.mine ? "mine" : "theirs"}${row.first ? " first" : ""}${row.last ? " last" : ""}`;
  return (
    <>
      {row.day === undefined ? null : <li class="day">{dayOf(row.day)}</li>}
      <li
        class={`row ${place}`}
        id={`message-${head.id}`}
        data-ids={row.messages.map(({ id }) => id).join(" ")}
      >
        <article class="bubble" aria-label={`${head.mine ? "You" : "evie"}, ${timeOf(head.at)}`}>
          {head.replyTo === undefined ? null : <ReplyTo to={head.replyTo} />}
          {files.length > 0 ? <Files messages={files} /> : null}
          {worded.map((message) => (
            <div class="text" key={message.id}>
              <RichText text={message.text} entities={message.entities} onCommand={actions.onCommand} />
            </div>
          ))}
          <Meta message={last} />
        </article>
        {last.reaction === undefined ? null : <span class="reaction">{last.reaction}</span>}
        <Buttons message={last} onPress={actions.onPress} />
        <MessageMenu messages={row.messages} actions={actions} />
      </li>
    </>
  );
}

function ReplyTo({ to }: { readonly to: NonNullable<ChatMessage["replyTo"]> }) {
  const show = (): void => {
    const row = document.querySelector(`[data-ids~="${to.id}"]`);
    row?.scrollIntoView({ block: "center", behavior: "smooth" });
    row?.classList.add("found");
    setTimeout(() => row?.classList.remove("found"), 1_200);
  };
  return (
    <button type="button" class="reply-to" onClick={show}>
      <b>{to.mine ? "You" : "evie"}</b>
      <span>{to.text}</span>
    </button>
  );
}

function Meta({ message }: { readonly message: ChatMessage }) {
  const { mine, received, silent, edited, at } = message;
  return (
    <footer class="meta">
      {edited ? <span>edited</span> : null}
      {mine ? null : (
        <span class="bell" title={silent ? "Sent silently" : "Sent with a sound"}>
          <Icon name={silent ? "mute" : "bell"} />
        </span>
      )}
      <time dateTime={new Date(at).toISOString()} title={exactTimeOf(at)}>
        {timeOf(at)}
      </time>
      {mine ? (
        <span class="state" title={received ? "evie has it" : "Waiting at Telegram"}>
          <Icon name={received ? "checks" : "clock"} />
        </span>
      ) : null}
    </footer>
  );
}

function Buttons({
  message,
  onPress,
}: {
  readonly message: ChatMessage;
  readonly onPress: MessageActions["onPress"];
}) {
  if (message.buttons.length === 0) return null;
  return (
    <div class="keyboard">
      {message.buttons.map((row, index) => (
        <div key={index}>
          {row.map(({ text, data, url }) =>
            url === undefined ? (
              <button type="button" key={text} onClick={() => data !== undefined && onPress(message, data)}>
                {text}
              </button>
            ) : (
              <Link to={url} key={text}>
                {text}
              </Link>
            ),
          )}
        </div>
      ))}
    </div>
  );
}
