import { badRequest } from "./errors.ts";
import type { FileShape } from "./shapes.ts";

/** What `getFile` of the cloud server gives at most: 20 MiB. */
const MAX_DOWNLOAD = 20 * 1024 * 1024;

export interface StoredFile {
  readonly shape: FileShape;
  /** Where it lies under `/file/bot<token>/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface FileStore {
  /** Keeps a file; `folder` is such as `photos`. `size` stands in for the true size when given. */
  add(bytes: Uint8Array, folder: string, about: Omit<FileShape, "file_id" | "file_unique_id">): FileShape;
  byId(fileId: string): StoredFile | undefined;
  byPath(path: string): StoredFile | undefined;
  /** What `getFile` answers; throws Telegram's 400 for an unknown id and for a file that is too big. */
  describe(fileId: string): FileShape & { readonly file_path: string };
}

export function createFileStore(): FileStore {
  const files: StoredFile[] = [];
  const byId = (fileId: string): StoredFile | undefined =>
    files.find(({ shape }) => shape.file_id === fileId);
  return {
    add(bytes, folder, about) {
      const number = files.length + 1;
      const shape: FileShape = {
        file_size: bytes.length,
        ...about,
        file_id: `BQACAgIAAxkBAAIB${String(number).padStart(6, "0")}`,
        file_unique_id: `AgAD${String(number).padStart(6, "0")}`,
      };
      const ending = /\.[A-Za-z0-9]{1,8}$/.exec(shape.file_name ?? "")?.[0] ?? endingOf(folder);
      files.push({ shape, path: `${folder}/file_${number}${ending}`, bytes });
      return shape;
    },
    byId,
    byPath: (path) => files.find((file) => file.path === path),
    describe(fileId) {
      const file = byId(fileId);
      if (file === undefined) throw badRequest("wrong file_id or the file is temporarily unavailable");
      const { file_id, file_unique_id, file_size = 0 } = file.shape;
      if (file_size > MAX_DOWNLOAD) throw badRequest("file is too big");
      return { file_id, file_unique_id, file_size, file_path: file.path };
    },
  };
}

function endingOf(folder: string): string {
  const endings: Readonly<Record<string, string>> = {
    photos: ".jpg",
    voice: ".oga",
    videos: ".mp4",
    music: ".mp3",
  };
  return endings[folder] ?? "";
}
