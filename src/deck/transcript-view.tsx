import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../page-kit/icon.tsx";
import { copyCode } from "./copy-code.ts";
import { AfterStop } from "./after-stop.tsx";
import { MessageRow } from "./message-row.tsx";
import { useDeck, usePage } from "./page.ts";
import { TurnEnd } from "./turn-end.tsx";
import { groupsOf, type Row, rowsOf } from "./rows.ts";
import { isWorking, type Conversation } from "./state.ts";
import { UnderWay } from "./under-way.tsx";

/** Pixels from the end within which a reader counts as being at it. */
const AT_END = 90;

export interface TranscriptProps {
  readonly sessionId: string;
  readonly conversation: Conversation;
}

/** What was said. It follows the end unless the reader has scrolled up. */
export function TranscriptView({ sessionId, conversation }: TranscriptProps) {
  const { deck, places } = usePage();
  const scroller = useRef<HTMLDivElement>(null);
  const place = useRef(places.get(sessionId) ?? { top: 0, follows: true });
  const height = useRef(0);
  const last = useRef<readonly Row[]>([]);
  const [away, setAway] = useState(!place.current.follows);
  const sent = useDeck(({ outbox }) => outbox.length);
  const rows = rowsOf(conversation, last.current);
  last.current = rows;
  const { before, loadingOlder, older } = conversation;

  const toEnd = (): void => scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  useLayoutEffect(() => {
    // Where the reader was when this session was shown last.
    if (!place.current.follows) scroller.current?.scrollTo({ top: place.current.top });
  }, []);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    // What is put in front must not push away what is being read.
    if (height.current > 0 && !place.current.follows)
      element.scrollTop += element.scrollHeight - height.current;
  }, [older]);
  useLayoutEffect(() => {
    // Whoever writes wants to see it.
    if (sent > 0) place.current = { ...place.current, follows: true };
  }, [sent]);
  useLayoutEffect(() => {
    if (place.current.follows) toEnd();
    height.current = scroller.current?.scrollHeight ?? 0;
  });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    // Pictures that have come and a composer that has grown move the end as well.
    const watcher = new ResizeObserver(() => {
      if (place.current.follows) toEnd();
      height.current = element.scrollHeight;
    });
    watcher.observe(element);
    if (element.firstElementChild !== null) watcher.observe(element.firstElementChild);
    return () => watcher.disconnect();
  }, []);

  const onScroll = (): void => {
    const element = scroller.current;
    if (element === null) return;
    const follows = element.scrollHeight - element.scrollTop - element.clientHeight < AT_END;
    place.current = { top: element.scrollTop, follows };
    places.set(sessionId, place.current);
    setAway(!follows);
  };
  return (
    <div class="log-frame">
      <div class="log" data-session={sessionId} ref={scroller} onScroll={onScroll}>
        <div class="log-inside" onClick={copyCode}>
          {before === undefined ? null : (
            <button
              type="button"
              class="older"
              disabled={loadingOlder}
              onClick={() => void deck.loadOlder(sessionId)}
            >
              {loadingOlder ? "Loading…" : "Load older messages"}
            </button>
          )}
          <div role="log" aria-live="off" aria-label="Transcript" aria-busy={isWorking(conversation)}>
            <ol>
              {groupsOf(rows).map((group) =>
                "row" in group ? (
                  <MessageRow key={group.key} row={group.row} />
                ) : (
                  <AfterStop key={group.key} rows={group.afterStop} />
                ),
              )}
              <UnderWay sessionId={sessionId} />
            </ol>
            {rows.length === 0 && sent === 0 && conversation.transcript.turn === undefined ? (
              <p class="empty">Nothing was said here yet.</p>
            ) : null}
          </div>
          <TurnEnd conversation={conversation} />
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
