import { Icon } from "../page-kit/icon.tsx";
import { useDeck, usePage } from "./page.ts";
import { underWay } from "./outbox.ts";

/** Prompts that were sent and are not in the transcript yet. */
export function UnderWay({ sessionId }: { readonly sessionId: string }) {
  const outbox = useDeck((state) => state.outbox);
  const queue = useDeck(({ conversations }) => conversations[sessionId]?.about.queue);
  const link = useDeck((state) => state.link);
  const { store } = usePage().deck;
  if (outbox.length === 0 && queue === undefined) return null;
  return (
    <>
      {underWay(store.state, sessionId).map(({ requestId, text, images, accepted }) => (
        <li class="row mine" key={requestId} data-request={requestId}>
          <article class="bubble sending" aria-label="You, being sent">
            {images.map(({ id, name, mimeType, data }) => (
              <span class="picture" key={id}>
                <img src={`data:${mimeType};base64,${data}`} alt={name} />
              </span>
            ))}
            {text === "" ? null : <p class="words">{text}</p>}
            <footer class="meta">
              <Icon name="clock" />
              <span>{accepted ? "evie has it" : link === "open" ? "sending" : "sent when evie is back"}</span>
            </footer>
          </article>
        </li>
      ))}
    </>
  );
}
