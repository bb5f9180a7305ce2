import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../page-kit/icon.tsx";
import type { Snapshot } from "../wire.ts";
import { Bubble } from "./bubble.tsx";
import type { MessageActions } from "./message-menu.tsx";
import { rowsOf } from "./rows.ts";
import { useNow } from "./store.ts";
import { Welcome } from "./welcome.tsx";

/** Pixels from the end within which a reader counts as being at it. */
const AT_END = 90;

export interface MessageListProps {
  readonly chat: Snapshot;
  readonly ahead: number;
  readonly actions: MessageActions;
  readonly onSay: (text: string) => void;
}

/** The chat. It follows what is said unless the reader has scrolled up. */
export function MessageList({ chat, ahead, actions, onSay }: MessageListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);
  const lastMine = chat.messages.findLast(({ mine }) => mine)?.id;

  const toEnd = (): void => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  useLayoutEffect(() => {
    // Whoever writes wants to see it.
    follows.current = true;
    toEnd();
  }, [lastMine]);
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  }, [chat.messages, chat.typingUntil]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    // Pictures that have come and a composer that has grown move the end as well.
    const watcher = new ResizeObserver(() => {
      if (follows.current) toEnd();
    });
    watcher.observe(element);
    if (element.firstElementChild !== null) watcher.observe(element.firstElementChild);
    return () => watcher.disconnect();
  }, []);

  const onScroll = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    // What comes while the browser still tells of an older scroll must not look as if the reader had left the end.
    if (scrollHeight - scrollTop - clientHeight < AT_END) follows.current = true;
    else if (scrollTop < lastTop.current) follows.current = false;
    lastTop.current = scrollTop;
    setAway(!follows.current);
  };
  return (
    <div class="log-frame">
      <div class="log" ref={scroller} onScroll={onScroll}>
        <div class="log-inside">
          {chat.messages.length === 0 ? <Welcome answeredBy={chat.answeredBy} onSay={onSay} /> : null}
          <div role="log" aria-live="off" aria-label={`Chat with ${chat.bot}`}>
            <ol>
              {rowsOf(chat.messages).map((row) => (
                <Bubble key={row.id} row={row} actions={actions} />
              ))}
            </ol>
          </div>
          <Typing until={chat.typingUntil - ahead} />
        </div>
      </div>
      {away ? (
        <button type="button" class="round to-end" aria-label="To the newest message" onClick={toEnd}>
          <Icon name="down" />
        </button>
      ) : null}
    </div>
  );
}

function Typing({ until }: { readonly until: number }) {
  const now = useNow(until > Date.now(), 500);
  return (
    <div class={until > now ? "typing shown" : "typing"} aria-hidden="true">
      <i />
      <i />
      <i />
    </div>
  );
}
