import type { State } from "./state.ts";
import { Icon } from "./icon.tsx";
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
        ? `${chat.answeredBy.name} answers, your agent's own model`
        : "a stand-in answers, no model is set up";
  return (
    <header class="top">
      <img src="/icon.svg" width="40" height="40" alt="" />
      <div class="who">
        <h1>{chat?.bot ?? "evie"}</h1>
        <p>{connected ? (until > now ? "typing…" : answers) : "evie is out of reach, trying again…"}</p>
      </div>
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

function RealBot() {
  return (
    <details class="real-bot">
      <summary>Get a real bot</summary>
      <div>
        <p>A bot of your own takes two minutes:</p>
        <ol>
          <li>
            Write <code>/newbot</code> to{" "}
            <a href="https://t.me/BotFather" target="_blank" rel="noopener noreferrer">
              @BotFather
            </a>
            ; it gives you a token.
          </li>
          <li>
            Put <code>TELEGRAM_BOT_TOKEN</code> and your id, as <code>EVIE_ALLOWED_USERS</code>, into{" "}
            <code>~/.evie/.env</code>.
          </li>
          <li>
            <code>npm start</code>
          </li>
        </ol>
        <p>
          All of it, and what to know before:{" "}
          <a href="/readme" target="_blank">
            the README
          </a>
          .
        </p>
      </div>
    </details>
  );
}
