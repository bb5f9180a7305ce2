import { clip } from "../domain/text.ts";
import { Icon } from "../page-kit/icon.tsx";
import { useDeck, usePage } from "./page.ts";

/** Prompts that wait for their turn. */
export function WaitingList({ sessionId }: { readonly sessionId: string }) {
  const { deck } = usePage();
  const queue = useDeck(({ conversations }) => conversations[sessionId]?.about.queue) ?? [];
  if (queue.length === 0) return null;
  return (
    <ul class="waiting-list" aria-label="Waiting for their turn">
      {queue.map(({ requestId, text }) => (
        <li key={requestId}>
          <Icon name="clock" />
          <span>{text}</span>
          <button
            type="button"
            class="round"
            aria-label={`Withdraw: ${clip(text, 60)}`}
            title="Withdraw"
            onClick={() => deck.withdraw(sessionId, requestId)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
