import { Locked } from "../page-kit/locked.tsx";

/** What a browser shows that evie does not let in: it has no key, or one that is none any more. */
export function LockedOut({ why }: { readonly why: "no key" | "refused" }) {
  return why === "no key" ? (
    <Locked title="This browser has no key to evie">
      Open the link that evie printed when it started, or the one that /deck gives you in the chat with the
      bot.
    </Locked>
  ) : (
    <Locked title="The key of this browser has ended">
      evie does not let it in any more. Who may use the bot gets a new link from /deck in the chat with it;
      whoever sits at evie’s machine finds one where evie was started.
    </Locked>
  );
}
