/** Tokens that an edit must leave in the bucket: a reply may need one at once. */
const LEAST = 2;

/** Tokens that are enough: one more, for a page that begins or a reply, is saved up. */
const ENOUGH = 3;

/** Tokens that must come back before the next edit: a little more than the one that it takes. */
const REGAIN = 1.15;

/** How full a chat's bucket must be before the next edit. */
export interface EditPace {
  readonly needed: number;
  /** Something was said, and `left` tokens are left. */
  spent(edit: boolean, left: number): void;
}

/**
 * Lets edits come a little slower than their tokens, until one token more is saved up. At the very pace of the bucket
 * nothing is ever saved up, and then each new page and each reply makes the screen stand still for two seconds.
 */
export function createEditPace(): EditPace {
  let needed = LEAST;
  return {
    get needed() {
      return needed;
    },
    spent(edit, left) {
      needed = Math.min(ENOUGH, Math.max(LEAST, edit ? left + REGAIN : needed - 1));
    },
  };
}
