import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "./domain/log.ts";
import { claimInvitation } from "./invitations.ts";
import type { ClaimBoard } from "./telegram/claim.ts";

export interface ClaimBoardOptions {
  /** EVIE_HOME. */
  readonly folder: string;
  /** Writes to stdout; undefined where nobody reads that, but a journal keeps it. */
  readonly print: ((text: string) => void) | undefined;
  readonly log: Log;
}

/** Shows claim links on the terminal where there is one, and else in a file that only the user of this machine can read. */
export function createClaimBoard({ folder, print, log }: ClaimBoardOptions): ClaimBoard {
  const path = join(folder, "claim-link");

  function withdraw(): void {
    try {
      rmSync(path, { force: true });
    } catch (error) {
      log.warn({ err: error, file: path }, "the file with the claim link could not be removed");
    }
  }

  return {
    show(link) {
      if (print !== undefined) return print(claimInvitation(link));
      // A file that somebody else has made would keep its mode.
      rmSync(path, { force: true });
      writeFileSync(path, `${link}\n`, { mode: 0o600, flag: "wx" });
      log.warn(
        { file: path },
        "Nobody may use this bot yet. Open the link in that file in Telegram to become its owner. It works once, within an hour",
      );
    },
    withdraw,
  };
}
