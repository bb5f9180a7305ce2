import { fstatSync } from "node:fs";
import process from "node:process";
import { HTTP_PORT } from "./config/fields.ts";
import type { Web } from "./web.ts";

/** The line on stdout that leads to the deck; with its key, unless what is written there is kept in a journal. */
export function deckInvitation({ link, address, instead }: Web): string {
  const moved = instead === undefined ? "" : `Port ${HTTP_PORT} is taken, so this is port ${instead}. `;
  // A journal is kept, and read by more people.
  if (isJournal(process.stdout.fd))
    return `${moved}The deck is on ${address}. /deck in a chat with the bot gives the link with its key.`;
  return `${moved}The deck, in a browser on this machine:

  ${link}
`;
}

/** The lines on stdout with the link that makes somebody the bot's owner. */
export function claimInvitation(link: string): string {
  return `Nobody may use this bot yet. Open this link in Telegram to become its owner. It works once, within an hour:

  ${link}
`;
}

/** Whether what is written there goes into systemd's journal: it names the stream by its device and inode. */
function isJournal(fd: number): boolean {
  const { dev, ino } = fstatSync(fd);
  return process.env["JOURNAL_STREAM"] === `${dev}:${ino}`;
}
