import { useState } from "preact/hooks";
import { usePage } from "./page.ts";

/** A button that fetches a message whole, of which only the head and the tail are shown. */
export function ShowWhole({ messageKey }: { readonly messageKey: string }) {
  const { deck } = usePage();
  const [loading, setLoading] = useState(false);
  const load = async (): Promise<void> => {
    const { shown } = deck.store.state;
    if (shown === undefined) return;
    setLoading(true);
    await deck.loadWhole(shown, messageKey);
    setLoading(false);
  };
  return (
    <button type="button" class="older" disabled={loading} onClick={() => void load()}>
      {loading ? "Loading…" : "Show all of it"}
    </button>
  );
}
