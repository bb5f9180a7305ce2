export interface AttachQueueOptions {
  /** Tells whether the connection has passed on nearly all that it was given. */
  readonly isDrained: () => boolean;
  /** Sends all that belongs to the attach of a session. It must not throw. */
  readonly attach: (sessionId: string) => void;
}

/** The sessions that a client waits to be attached to: one after the other, each when what came before is on its way. */
export interface AttachQueue {
  /** Adds a session, behind all others or, when it is the one that is looked at, before them. One that waits already moves. */
  add(sessionId: string, isShown: boolean): void;
  remove(sessionId: string): void;
  /** To be called when the connection may have drained. */
  goOn(): void;
}

/** Several large attaches at once would keep everything else from the client until all of them have passed. */
export function createAttachQueue({ isDrained, attach }: AttachQueueOptions): AttachQueue {
  let waiting: readonly string[] = [];
  let attaching = false;

  function goOn(): void {
    // A connection that tells at once that something is on its way would begin a second one in the middle of the first.
    while (!attaching && isDrained()) {
      const [next, ...others] = waiting;
      if (next === undefined) return;
      waiting = others;
      attaching = true;
      attach(next);
      attaching = false;
    }
  }

  return {
    add(sessionId, isShown) {
      const others = waiting.filter((other) => other !== sessionId);
      waiting = isShown ? [sessionId, ...others] : [...others, sessionId];
      goOn();
    },
    remove(sessionId) {
      waiting = waiting.filter((other) => other !== sessionId);
    },
    goOn,
  };
}
