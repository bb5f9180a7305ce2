/** A call that came while its chat had to rest. */
export interface FloodViolation {
  readonly method: string;
  readonly chatId: number;
  /** `clock.now`. */
  readonly at: number;
  /** The end of the rest that it broke. */
  readonly restUntil: number;
}

export interface FloodLog {
  /** Calls made inside a rest, whether the model or a fault announced it. */
  readonly violations: readonly FloodViolation[];
  /** Switches the model on or off. */
  enabled: boolean;
  /** `clock.now` at which the chat may speak again; undefined when it may. */
  restUntil(chatId: number): number | undefined;
}
