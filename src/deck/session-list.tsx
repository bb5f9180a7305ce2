import { useState } from "preact/hooks";
import type { SessionInfo, SessionPhase } from "../domain/wire.ts";
import { Icon } from "../page-kit/icon.tsx";
import { useDeck, useNow, usePage } from "./page.ts";
import { pathOf } from "./route.ts";
import { phaseOf } from "./state.ts";
import { isUnread } from "./unread.ts";
import { ago, FACES, folderName, PHASES, sessionName } from "./words.ts";

/** All sessions, the last used ones first. `onShow` is called when one was chosen. */
export function SessionList({ onShow }: { readonly onShow: () => void }) {
  const { deck } = usePage();
  const sessions = useDeck((state) => state.sessions);
  const [beginning, setBeginning] = useState(false);
  const now = useNow(true, 30_000);
  const begin = async (): Promise<void> => {
    setBeginning(true);
    await deck.begin();
    setBeginning(false);
    onShow();
  };
  const ordered = sessions?.toSorted((one, other) => other.updatedAt - one.updatedAt) ?? [];
  return (
    <nav class="sessions" aria-label="Sessions">
      <header>
        <img src="/icon.svg" width="32" height="32" alt="" />
        <h1>evie</h1>
        <button
          type="button"
          class="round"
          aria-label="New session"
          title="New session"
          disabled={beginning}
          onClick={() => void begin()}
        >
          <Icon name="plus" />
        </button>
      </header>
      <ul>
        {ordered.map((session) => (
          <SessionLine key={session.id} session={session} now={now} onShow={onShow} />
        ))}
      </ul>
      {sessions?.length === 0 ? <p class="quiet">No sessions yet. Begin one, or write on Telegram.</p> : null}
    </nav>
  );
}

interface SessionLineProps {
  readonly session: SessionInfo;
  readonly now: number;
  readonly onShow: () => void;
}

function SessionLine({ session, now, onShow }: SessionLineProps) {
  const { deck } = usePage();
  const { id, name, cwd, face, state, updatedAt } = session;
  const isShown = useDeck(({ shown }) => shown === id);
  const unread = useDeck((all) => isUnread(all, session));
  const phase = useDeck(({ conversations }) => {
    const known = conversations[id];
    return known === undefined ? state : phaseOf(known);
  });
  const show = (event: MouseEvent): void => {
    // A new tab is the browser's business.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    deck.show(id);
    onShow();
  };
  return (
    <li>
      <a
        href={pathOf(id)}
        class={unread ? "unread" : ""}
        aria-current={isShown ? "page" : undefined}
        onClick={show}
      >
        <PhaseMark phase={phase} />
        <b>{sessionName(name)}</b>
        {unread ? <i class="news" title="Unread" /> : null}
        <time dateTime={new Date(updatedAt).toISOString()}>{ago(updatedAt, now)}</time>
        <small>
          {phase === "idle" ? null : <span class={`phase ${phase}`}>{PHASES[phase]}</span>}
          <span>
            {FACES[face] ?? face}, {folderName(cwd)}
          </span>
        </small>
        {unread ? <span class="unseen">, unread</span> : null}
      </a>
    </li>
  );
}

/** The state as a mark; it is always said in words beside it. */
export function PhaseMark({ phase }: { readonly phase: SessionPhase }) {
  return <i class={`mark ${phase}`} aria-hidden="true" />;
}
