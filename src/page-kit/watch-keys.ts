import { keyIn } from "./keys.ts";

/** Takes the key out of the page's address, where nobody shall see or copy it. Returns it; undefined without one. */
export function takeKey(): string | undefined {
  const found = keyIn(location.href);
  if (found !== undefined) history.replaceState(history.state, "", found.rest);
  return found?.key;
}

/**
 * Calls `onChange` when there may be another key: where a link to the page that is shown is opened in its place, for which
 * a browser loads nothing, and where another tab was given one.
 */
export function watchKeys(name: string, onChange: (offered: string | undefined) => void): void {
  addEventListener("hashchange", () => {
    const key = takeKey();
    if (key !== undefined) onChange(key);
  });
  addEventListener("storage", ({ key }) => {
    if (key === name) onChange(undefined);
  });
}
