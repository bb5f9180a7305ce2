import { Icon } from "../page-kit/icon.tsx";
import { useDeck, usePage } from "./page.ts";

/** Says that evie is out of reach. It comes a moment late, so that a short gap does not blink. */
export function Banner() {
  const { deck } = usePage();
  const link = useDeck((state) => state.link);
  const online = useDeck((state) => state.online);
  const greeted = useDeck(({ epoch }) => epoch !== undefined);
  if (link === "open" && online) return null;
  return (
    <div class="banner" role="status">
      <Icon name="offline" />
      <span>
        {!online
          ? "You are offline. What you send waits here."
          : greeted
            ? "evie is out of reach. Trying again…"
            : link === "connecting"
              ? "Connecting to evie…"
              : "evie does not answer. Does it run?"}
      </span>
      {link === "waiting" ? (
        <button type="button" onClick={() => deck.nudge(online)}>
          Try now
        </button>
      ) : null}
    </div>
  );
}
