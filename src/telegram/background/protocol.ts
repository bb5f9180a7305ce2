import type { FormattedText } from "../entities.ts";

/** What the worker is asked. */
export type ToWorker =
  | {
      readonly type: "render";
      readonly job: number;
      /** Whose steps they are: what was rendered of an answer is kept while it grows. */
      readonly answer: number;
      readonly steps: readonly string[];
      readonly streaming: boolean;
    }
  | { readonly type: "forget"; readonly answer: number };

export interface FromWorker {
  readonly job: number;
  readonly pages: readonly FormattedText[];
}
