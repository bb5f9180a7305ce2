import { useRef } from "preact/hooks";
import { Icon } from "../../page-kit/icon.tsx";
import { Link } from "./rich-text.tsx";
import type { State } from "./state.ts";
import { useNow } from "./store.ts";

export interface HeaderProps {
  readonly state: State;
  readonly isOpen: boolean;
  readonly onPanel: () => void;
}

/** Who one writes with, who answers, and the way to what happens underneath. */
export function Header({ state: { chat, connected, ahead }, isOpen, onPanel }: HeaderProps) {
  const until = (chat?.typingUntil ?? 0) - ahead;
  const now = useNow(until > Date.now(), 500);
  const answers =
    chat === undefined
      ? ""
      : chat.answeredBy.kind === "model"
        ? `${chat.answeredBy.name} answers`
        : "a stand-in answers, no model is set up";
  return (
    <header class="top">
      <img src="/icon.svg" width="40" height="40" alt="" />
      <div class="who">
        <h1>{chat?.bot ?? "evie"}</h1>
        <p>{connected ? (until > now ? "typing…" : answers) : "evie is out of reach, trying again…"}</p>
      </div>
      {chat?.deck === undefined ? null : (
        <a class="to-deck" href={chat.deck} target="_blank" rel="noopener noreferrer">
          Deck
        </a>
      )}
      <RealBot />
      <button
        type="button"
        class="panel-toggle"
        aria-label="Underneath"
        aria-expanded={isOpen}
        aria-controls="underneath"
        onClick={onPanel}
      >
        <Icon name="layers" />
        <span>Underneath</span>
      </button>
    </header>
  );
}

/** One line on how to get the real thing. */
function RealBot() {
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => details.current?.removeAttribute("open");
  return (
    <details
      class="real-bot"
      ref={details}
      onKeyDown={({ key }) => {
        if (key !== "Escape") return;
        close();
        details.current?.querySelector("summary")?.focus();
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && details.current?.contains(relatedTarget) !== true) close();
      }}
    >
      <summary>Get a real bot</summary>
      <div>
        <ol>
          <li>
            Write <code>/newbot</code> to <Link to="https://t.me/BotFather">@BotFather</Link>; it gives you a
            token.
          </li>
          <li>
            Let pi know a model: <code>npx pi</code>, then <code>/login</code>.
          </li>
          <li>
            <code>TELEGRAM_BOT_TOKEN=… npm start</code>
          </li>
          <li>Open the link that evie prints. The bot is yours.</li>
        </ol>
        <p>
          More in{" "}
          <a href="/readme" target="_blank">
            the README
          </a>
          , “A real bot in five steps”.
        </p>
      </div>
    </details>
  );
}
