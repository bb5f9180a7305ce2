import { parseDirective } from "./directive.ts";
import { lastUserIndex } from "./request.ts";
import type { ModelRequest } from "./request.ts";
import type { Step } from "./step.ts";
import { talk } from "./talk.ts";

/** What to answer to a request, when no step is queued. Pure: the same request gets the same answer. */
export function chooseStep(request: ModelRequest): Step {
  const { messages } = request;
  if (asksForSummary(request)) {
    return { text: "Summary by the stand-in model: the two of them exchanged messages." };
  }
  const at = lastUserIndex(request);
  const asked = messages[at];
  if (asked === undefined) return { text: "There is no message to answer." };
  const since = messages.slice(at + 1);
  // An agent repeats a request that failed without a trace of the first try, so the count is stable over retries.
  const index = since.filter(({ role }) => role === "assistant").length;
  const steps = parseDirective(asked.text) ?? talk(asked, since, request.tools);
  return steps[index] ?? { text: "done." };
}

/** An agent that shortens its own history asks for a summary, under a system prompt of its own. */
function asksForSummary({ messages }: ModelRequest): boolean {
  return messages.some(
    ({ role, text }) => (role === "system" || role === "developer") && /summarization assistant/i.test(text),
  );
}
