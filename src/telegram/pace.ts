/** Tokens that an edit must leave in the bucket: a reply may need one at once. */
const LEAST = 2;

/** Tokens that are enough: one more, for a page that begins or a reply, is saved up. */
const ENOUGH = 3;

/** Tokens that must come back before the next edit: a little more than the one that it takes. */
const REGAIN = 1.15;

/** Milliseconds between two edits at the least: at one a second they would leave nothing of a minute for replies. */
const LEAST_APART = 1_150;

/** How full a chat's bucket must be before the next edit, and when that may be. */
export interface EditPace {
  readonly needed: number;
  /** The moment, in the clock's milliseconds, before which there is no other edit. */
  readonly notBefore: number;
  /** Something was said at `now`, and `left` tokens are left. */
  spent(edit: boolean, left: number, now: number): void;
}

/**
 * Lets edits come a little slower than their tokens, until one token more is saved up. At the very pace of the bucket
 * nothing is ever saved up, and then each new page and each reply makes the screen stand still for two seconds.
 */
export function createEditPace(): EditPace {
  let needed = LEAST;
  let notBefore = Number.NEGATIVE_INFINITY;
  return {
    get notBefore() {
      return notBefore;
    },
    get needed() {
      return needed;
    },
    spent(edit, left, now) {
      if (edit) notBefore = now + LEAST_APART;
      needed = Math.min(ENOUGH, Math.max(LEAST, edit ? left + REGAIN : needed - 1));
    },
  };
}
