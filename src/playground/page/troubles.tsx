import type { Troubles } from "../wire.ts";
import { useNow } from "./store.ts";

export interface TroubleSwitchesProps {
  readonly troubles: Troubles;
  readonly ahead: number;
  readonly onTrouble: (name: "flood" | "outage" | "slowFiles", on: boolean) => void;
}

/** Makes Telegram misbehave, to see how evie copes. */
export function TroubleSwitches({ troubles, ahead, onTrouble }: TroubleSwitchesProps) {
  const { flood, slowFiles, outageUntil } = troubles;
  const end = (outageUntil ?? 0) - ahead;
  const now = useNow(outageUntil !== undefined, 250);
  const left = Math.max(0, Math.ceil((end - now) / 1_000));
  return (
    <fieldset class="troubles">
      <legend>Make trouble</legend>
      <button type="button" aria-pressed={flood} onClick={() => onTrouble("flood", !flood)}>
        {flood ? "Flood: next call" : "Flood limit"}
      </button>
      <button
        type="button"
        aria-pressed={outageUntil !== undefined}
        disabled={outageUntil !== undefined}
        onClick={() => onTrouble("outage", true)}
      >
        {outageUntil === undefined ? "Outage, 10 s" : `Outage, ${left} s`}
      </button>
      <button type="button" aria-pressed={slowFiles} onClick={() => onTrouble("slowFiles", !slowFiles)}>
        Slow files
      </button>
    </fieldset>
  );
}
