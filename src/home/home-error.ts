import { diskTroubleOf, diskTroubleWords } from "../domain/disk.ts";

/** EVIE_HOME cannot be used. The message says why and what to do. */
export class HomeError extends Error {
  readonly folder: string;

  constructor(folder: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "HomeError";
    this.folder = folder;
  }
}

const ADVICE = "Make it a folder of your own, or set EVIE_HOME to another one";

/** Makes the error that says why `folder` cannot be EVIE_HOME, and what to do: both without a full stop. */
export function unusable(folder: string, reason: string, advice = ADVICE, cause?: unknown): HomeError {
  return new HomeError(folder, `EVIE_HOME (${folder}) cannot be used: ${reason}. ${advice}.`, cause);
}

/** Makes the error that says what the system refused to do with the home in `folder`. */
export function refusedBySystem(folder: string, error: unknown): HomeError {
  const trouble = diskTroubleOf(error);
  if (trouble !== undefined) {
    const { reason, advice } = diskTroubleWords(trouble, "it");
    return unusable(folder, reason, `${advice}, and start evie again`, error);
  }
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return unusable(
        folder,
        `the user evie runs as may not read and write there (${reasonOf(error)})`,
        "Give the folder to that user, or set EVIE_HOME to another one",
        error,
      );
    case "ENOTDIR":
      return unusable(
        folder,
        `a part of that path is a file, not a folder (${reasonOf(error)})`,
        ADVICE,
        error,
      );
    default:
      return unusable(folder, reasonOf(error), ADVICE, error);
  }
}

/** Returns the system's code of an error, such as ENOENT; an empty text where it has none. */
export function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : "";
}

/** Returns what an error says. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
