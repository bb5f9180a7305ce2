import { copyFileSync, linkSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../domain/ids.ts";
import type { PromptImage } from "../domain/prompt.ts";

/** The pictures that prompts brought along, kept as long as their session: pictures in messages point to them. */
export interface StoredPictures {
  /** Keeps a copy and gives its name. Throws when that fails. */
  keep(session: SessionId, image: PromptImage): string;
  /** Undefined for a name that `keep` never gave in this session. */
  read(session: SessionId, name: string): StoredPicture | undefined;
  /** Removes all of a session's. */
  drop(session: SessionId): void;
}

export interface StoredPicture {
  readonly mimeType: PromptImage["mimeType"];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const ENDINGS: Readonly<Record<PromptImage["mimeType"], string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/gif": "gif",
};

/** Pictures in folders of `folder`, one a session. */
export function createStoredPictures(folder: string): StoredPictures {
  return {
    keep(session, { path, mimeType }) {
      const name = `${crypto.randomUUID()}.${ENDINGS[mimeType]}`;
      mkdirSync(join(folder, session), { recursive: true, mode: 0o700 });
      const target = join(folder, session, name);
      try {
        // At once, and without a second copy on the disk.
        linkSync(path, target);
      } catch {
        copyFileSync(path, target);
      }
      return name;
    },
    read(session, name) {
      const [, ending] = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.([a-z]+)$/.exec(name) ?? [];
      const type = (Object.keys(ENDINGS) as PromptImage["mimeType"][]).find((key) => ENDINGS[key] === ending);
      if (type === undefined) return undefined;
      try {
        return { mimeType: type, bytes: new Uint8Array(readFileSync(join(folder, session, name))) };
      } catch {
        return undefined;
      }
    },
    drop(session) {
      rmSync(join(folder, session), { recursive: true, force: true });
    },
  };
}
