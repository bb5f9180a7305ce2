import { useRef, useState } from "preact/hooks";
import type { ChosenFile } from "./draft.ts";

export interface ChosenFiles {
  readonly files: readonly ChosenFile[];
  readonly add: (files: Iterable<File>) => void;
  readonly remove: (id: number) => void;
  /** Takes them all out; gives what there was. */
  readonly take: () => readonly ChosenFile[];
  readonly putBack: (files: readonly ChosenFile[]) => void;
}

/** The files that wait to be sent. */
export function useFiles(): ChosenFiles {
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const lastId = useRef(0);

  const measure = async (id: number, file: File): Promise<void> => {
    // What the browser cannot draw is sent as it is.
    const bitmap = await createImageBitmap(file).catch(() => undefined);
    if (bitmap === undefined) return;
    const size = `${bitmap.width}x${bitmap.height}`;
    bitmap.close();
    setFiles((all) => all.map((each) => (each.id === id ? { ...each, size } : each)));
  };

  return {
    files,
    add: (added) => {
      const chosen = [...added].map((file): ChosenFile => {
        lastId.current += 1;
        const isPicture = file.type.startsWith("image/");
        if (isPicture) void measure(lastId.current, file);
        return { id: lastId.current, file, ...(isPicture ? { preview: URL.createObjectURL(file) } : {}) };
      });
      setFiles((all) => [...all, ...chosen]);
    },
    remove: (id) => setFiles((all) => all.filter((each) => each.id !== id)),
    take: () => {
      setFiles([]);
      return files;
    },
    putBack: (taken) => setFiles((all) => [...taken, ...all]),
  };
}
