import { type ErrorText, readErrorText } from "./error-text.ts";
import { BY_HAND, KINDS, LATER, NEW_SESSION, short } from "./provider-error-kinds.ts";

/** What went wrong between an agent and its model, for a person. */
export interface Explanation {
  /** Goes on behind "The model could not answer: "; without a full stop. */
  readonly what: string;
  /** What to do about it, as a sentence or two; empty where nobody knows. */
  readonly advice: string;
}

/**
 * Says what an error of a provider means. Pure. `text` is the error as the agent tells it, whatever it is; `stop` is
 * the provider's own word for why its model stopped, where there is one.
 */
export function explainError(text: string, stop = ""): Explanation {
  const error = readErrorText(text);
  const { status, codes, words, before } = error;
  const told = [codes, words, before, stop].join("\n");
  const kind = KINDS.find(
    ({ statuses, says }) =>
      says?.test(told) === true || (status !== undefined && statuses?.includes(status) === true),
  );
  if (kind === undefined) return explainUnknown(error, stop);
  const { what, advice } = kind;
  return {
    what: typeof what === "string" ? what : what(error),
    advice: typeof advice === "string" ? advice : advice(told),
  };
}

/** What nobody foresaw is shown as it says itself, where it says anything to people. */
function explainUnknown({ status, words, form }: ErrorText, stop: string): Explanation {
  const own = words === "" ? "" : `: ${short(words)}`;
  if (status !== undefined && status >= 500)
    return { what: `the provider's server failed (${status})`, advice: LATER };
  if (form === "page") {
    const title = words === "" ? "" : ` (“${short(words)}”)`;
    const found =
      status === 404 ? "nothing is at the model's address" : "a web page came in place of an answer";
    return {
      what: `${found}${title}`,
      advice: "Check the model's address, and the network of evie's machine.",
    };
  }
  if (status === 404)
    return {
      what: `the provider has nothing at the model's address (404)${own}`,
      advice: `Check the model and its address ${BY_HAND}`,
    };
  if ((form === "json" && words !== "") || (form === "plain" && status !== undefined && words === ""))
    return {
      what: `the provider refused the request${status === undefined ? "" : ` (${status})`}${own}`,
      advice: `Send the message again. If it is refused again, ${NEW_SESSION}.`,
    };
  if (words !== "" && !NO_REASON.test(words)) return { what: words, advice: "" };
  return stop === ""
    ? {
        what: "it gave no reason",
        advice: "Send the message again; the log on evie's machine may tell more.",
      }
    : { what: `it stopped early (${stop.toLowerCase()})`, advice: AGAIN_OR_OTHERWISE };
}

const NO_REASON = /^(?:an )?unknown error(?: occurred)?(?: \(.*\))?\.?$|^unknown: unknownerror$/i;

const AGAIN_OR_OTHERWISE = "Send the message again, or ask in other words.";
