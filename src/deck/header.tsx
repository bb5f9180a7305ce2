import { telegramLink } from "../domain/wire.ts";
import { Icon } from "../page-kit/icon.tsx";
import { useDeck } from "./page.ts";
import { PhaseMark } from "./session-list.tsx";
import { hasChat, phaseOf } from "./state.ts";
import { FACES, PHASES, sessionName, usageWords } from "./words.ts";

export interface HeaderProps {
  readonly sessionId: string;
  readonly isDrawerOpen: boolean;
  readonly onDrawer: () => void;
}

/** Which session one is in, what it does, what it has cost. */
export function Header({ sessionId, isDrawerOpen, onDrawer }: HeaderProps) {
  const info = useDeck(({ sessions }) => sessions?.find(({ id }) => id === sessionId));
  const about = useDeck(({ conversations }) => conversations[sessionId]?.about);
  const phase = useDeck(({ conversations }) => {
    const known = conversations[sessionId];
    return known === undefined ? (info?.state ?? "idle") : phaseOf(known);
  });
  const { usage, model } = about ?? {};
  const chat = info === undefined ? undefined : (FACES[info.face] ?? info.face);
  const facts = [chat, about?.cwd ?? info?.cwd, model].filter((fact) => fact !== undefined);
  return (
    <header class="top">
      <DrawerButton isOpen={isDrawerOpen} onClick={onDrawer} />
      <div class="who">
        <h2>{sessionName(about?.name ?? info?.name)}</h2>
        <p title={facts.join("\n")}>
          <PhaseMark phase={phase} />
          <span class={`phase ${phase}`}>{PHASES[phase]}</span>
          <span class="facts">{facts.join(" · ")}</span>
        </p>
      </div>
      <TelegramLink sessionId={sessionId} />
      {usage === undefined ? null : (
        <p class="usage" title={`${usage.cacheRead} tokens of what went in came from the cache`}>
          {usageWords(usage)}
        </p>
      )}
    </header>
  );
}

/** To go on in a chat, with a session that no chat speaks with: one that does needs no link, or would refuse it. */
function TelegramLink({ sessionId }: { readonly sessionId: string }) {
  const bot = useDeck((state) => state.bot);
  const isFree = useDeck((state) => hasChat(state, sessionId) === false);
  if (bot === undefined || !isFree) return null;
  return (
    <a class="onward" href={telegramLink(bot, sessionId)} target="_blank" rel="noreferrer" title={`@${bot}`}>
      <Icon name="plane" />
      <span>Continue in Telegram</span>
    </a>
  );
}

export function DrawerButton({
  isOpen,
  onClick,
}: {
  readonly isOpen: boolean;
  readonly onClick: () => void;
}) {
  const news = useDeck(({ sessions, shown }) =>
    sessions?.some(({ id, state }) => state === "waiting" && id !== shown),
  );
  return (
    <button
      type="button"
      class="round drawer-button"
      aria-label={news === true ? "Sessions, one waits for you" : "Sessions"}
      aria-expanded={isOpen}
      aria-controls="drawer"
      onClick={onClick}
    >
      <Icon name="menu" />
      {news === true ? <i class="news" /> : null}
    </button>
  );
}
