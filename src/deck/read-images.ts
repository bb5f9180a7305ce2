import type { DraftImage } from "./state.ts";

/** Bytes of one picture: as base64 it may have ten million characters. */
const LARGEST = 7_500_000;

/** What models can look at. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Reads the pictures among files; `complain` is told in a sentence of those that cannot be sent. */
export async function readImages(
  files: Iterable<File>,
  complain: (sentence: string) => void,
): Promise<readonly DraftImage[]> {
  const read = await Promise.all(
    [...files].map(async (file): Promise<readonly DraftImage[]> => {
      if (!PICTURE_TYPES.includes(file.type)) {
        complain(`${file.name} is no PNG, JPEG, WebP or GIF. Only such pictures can be sent from here.`);
        return [];
      }
      if (file.size > LARGEST) {
        complain(`${file.name} is larger than ${LARGEST / 1_000_000} MB. Send a smaller one.`);
        return [];
      }
      const data = await base64(file).catch(() => undefined);
      if (data === undefined) {
        complain(`${file.name} could not be read. Choose it once more.`);
        return [];
      }
      return [{ id: crypto.randomUUID(), name: file.name, mimeType: file.type, data }];
    }),
  );
  return read.flat();
}

/** A data URL is read by the browser itself: by hand, ten million bytes would hold the page. */
function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const { result } = reader;
      if (typeof result === "string") resolve(result.slice(result.indexOf(",") + 1));
      else reject(new Error("It was read as bytes."));
    });
    reader.addEventListener("error", () => reject(reader.error ?? new Error("It is unreadable.")));
    reader.readAsDataURL(file);
  });
}
