import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import { useDeck, usePage } from "./page.ts";
import { QuestionDialog } from "./question-dialog.tsx";
import { hasChat } from "./state.ts";
import { TranscriptView } from "./transcript-view.tsx";

/** One session: what was said, what is asked, and where to write. */
export function SessionView({ sessionId }: { readonly sessionId: string }) {
  const { deck } = usePage();
  const conversation = useDeck(({ conversations }) => conversations[sessionId]);
  const refused = useDeck((state) => state.refused[sessionId]);
  const question = conversation?.questions[0];
  // A chat may have come back to it since.
  const isInChat = useDeck((state) => hasChat(state, sessionId) === true);
  const replacedBy = isInChat ? undefined : conversation?.replacedBy;
  return (
    <>
      {conversation !== undefined ? (
        <TranscriptView key={sessionId} sessionId={sessionId} conversation={conversation} />
      ) : (
        <div class="log-frame">
          <p class={refused === undefined ? "empty loading" : "empty"}>{refused ?? "Loading…"}</p>
        </div>
      )}
      <div class="foot">
        {replacedBy === undefined ? null : (
          <p class="replaced">
            Its chat speaks with another session now.{" "}
            <button type="button" onClick={() => deck.show(replacedBy)}>
              Show it
            </button>
          </p>
        )}
        {question === undefined ? null : (
          <QuestionDialog
            key={question.id}
            sessionId={sessionId}
            question={question}
            others={(conversation?.questions.length ?? 1) - 1}
          />
        )}
        {refused === undefined ? <Composer key={`composer-${sessionId}`} sessionId={sessionId} /> : null}
      </div>
      <Announcer conversation={conversation} />
    </>
  );
}
