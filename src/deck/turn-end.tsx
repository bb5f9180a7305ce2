import { Icon } from "../page-kit/icon.tsx";
import { useNow } from "./page.ts";
import { isWorking, type Conversation } from "./state.ts";
import { endWords, noticeWords, runningSeconds } from "./words.ts";

/** What there is to say about the turn below its messages. */
export function TurnEnd({ conversation }: { readonly conversation: Conversation }) {
  const { transcript, questions } = conversation;
  const { turn, notice, remarks } = transcript;
  const runs = isWorking(conversation);
  const now = useNow(runs, 1_000);
  const ended = endWords(transcript);
  return (
    <div class="turn-end">
      {remarks.map((remark, index) => (
        <p key={index}>{noticeWords(remark)}</p>
      ))}
      {notice === undefined ? null : <p>{noticeWords(notice)}</p>}
      {runs ? (
        <p class="working">
          <i class={`mark ${questions.length > 0 ? "waiting" : "running"}`} aria-hidden="true" />
          {questions.length > 0 ? "Waiting for you" : "Working"}
          {turn === undefined ? "" : `, ${runningSeconds(Math.max(0, now - turn.startedAt))}`}
        </p>
      ) : null}
      {ended === undefined ? null : turn?.outcome?.type === "failed" ? (
        <p class="trouble">
          <Icon name="problem" />
          <span>{ended}</span>
        </p>
      ) : (
        <p>{ended}</p>
      )}
    </div>
  );
}
