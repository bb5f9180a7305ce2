import { existsSync } from "node:fs";
import { realClock } from "./clock.ts";
import { prepareHome, takeHome } from "./home.ts";
import { inspectHome } from "./home/inspect-home.ts";
import { openStore } from "./store/store.ts";

/**
 * Takes the bot back from whoever claimed it; what to tell the person. Throws a HomeTakenError while evie runs on
 * that home, which knows its owner by heart; a HomeError or StoreError when there is no way in.
 */
export function unclaim(folder: string): string {
  const nobody = `Nobody has claimed the bot of ${folder}.`;
  if (inspectHome(folder) !== "evie's") return nobody;
  const home = prepareHome(folder);
  const release = takeHome(folder);
  try {
    if (!existsSync(home.database)) return nobody;
    const { store } = openStore(home.database, realClock);
    try {
      const { isUnknown } = store.owner;
      const owner = store.owner.owner();
      if (owner !== undefined) store.deckKeys.end(owner);
      const former = store.owner.disown();
      if (isUnknown)
        return `Whoever owned the bot of ${folder} before its database was damaged owns it no more. Where EVIE_ALLOWED_USERS names nobody, evie shows a new claim link at its next start.`;
      return former === undefined
        ? nobody
        : `The bot has no owner any more; it was ${former}. Where EVIE_ALLOWED_USERS names nobody, evie shows a new claim link at its next start.`;
    } finally {
      store.close();
    }
  } finally {
    release();
  }
}
