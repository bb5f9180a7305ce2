import type { AnsweredBy } from "../wire.ts";
import { longSample } from "./samples.ts";
import { counted } from "./words.ts";

/** What an empty chat says: where one is, and something to begin with. */
export function Welcome({
  answeredBy,
  onSay,
}: {
  readonly answeredBy: AnsweredBy;
  readonly onSay: (text: string) => void;
}) {
  const isStandIn = answeredBy.kind === "stand-in";
  const suggestions = [
    isStandIn ? ["What can you show me?", "help"] : ["What is in your folder?", "What is in this folder?"],
    [`Paste a text of ${counted(longSample.length, "character")}`, longSample],
    isStandIn
      ? ["Something long, to interrupt", "long"]
      : ["Find the fault in greet.js", "greet.js forgets somebody. Find out why."],
    ["What does evie understand?", "/help"],
  ] as const;
  return (
    <section class="welcome">
      <img src="/icon.svg" width="56" height="56" alt="" />
      <h2>Write as you would to a colleague.</h2>
      <p>
        This is a Telegram of its own, on this machine. evie stands between it and a coding agent and does
        what it would do for your own bot.
        {isStandIn ? " No model is set up, so a stand-in answers by rule." : ` ${answeredBy.name} answers.`}
      </p>
      <ul>
        {suggestions.map(([label, text]) => (
          <li key={label}>
            <button type="button" onClick={() => onSay(text)}>
              {label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
