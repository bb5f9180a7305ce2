import type { DiskOutage, DiskWatch } from "../domain/disk.ts";
import { type ChatPlace, parseChatKey } from "../domain/ids.ts";

/**
 * Tells the chats in `keys` that the disk takes nothing more, if that is what an error means, each of them once in an
 * outage. False for another error.
 */
export type DiskNotice = (error: unknown, keys: Iterable<string>) => boolean;

export interface DiskNoticeOptions {
  readonly disk: DiskWatch;
  readonly tell: (place: ChatPlace, outage: DiskOutage) => void;
}

export function createDiskNotice({ disk, tell }: DiskNoticeOptions): DiskNotice {
  const told = new Map<string, DiskOutage>();
  return (error, keys) => {
    const outage = disk.notice(error);
    if (outage === undefined) return false;
    for (const key of keys) {
      const place = parseChatKey(key);
      if (place === undefined || told.get(key) === outage) continue;
      told.set(key, outage);
      tell(place, outage);
    }
    return true;
  };
}
