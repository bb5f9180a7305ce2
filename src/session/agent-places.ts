/** Whoever has a place, or lines up for one. */
export interface PlaceUser {
  /** Whether its agent does nothing that somebody waits for, so that it may be put to rest for somebody else. */
  readonly isResting: () => boolean;
  /** Puts its agent to rest, because somebody else waits. It must not throw. */
  readonly putToRest: () => void;
}

/** The right to run one agent process. */
export interface Place {
  /** To be called when the agent rests: of several that do, the one that has rested longest is put to rest first. */
  rests(): void;
  /** To be called when the agent was told to go: one of those who wait may count on the place. */
  leaves(): void;
  /** Gives the place back. To be called when the process was seen to exit, or was never started. Idempotent. */
  free(): void;
}

/** Somebody's wish for a place. */
export interface PlaceRequest {
  /** Resolves with the place once it is this one's turn; undefined when it was withdrawn before. Never rejects. */
  readonly place: Promise<Place | undefined>;
  /** True while it is in line behind agents of which none is about to go. */
  readonly isHeldUp: boolean;
  /** Leaves the line, or gives the place back that was not used yet. Idempotent. */
  withdraw(): void;
}

/** How many agents run at once in all of evie, and who is next. */
export interface AgentPlaces {
  /** How many agents may run at once. */
  readonly most: number;
  /** True when somebody waits for whom no agent is about to go. */
  readonly isAwaited: boolean;
  /** True when a place is free, or can be made free at once, and nobody is in line for it. */
  readonly hasRoom: boolean;
  /** Lines up behind everybody who waits. */
  request(user: PlaceUser): PlaceRequest;
}

interface Taken extends PlaceUser {
  leaving: boolean;
}

interface Waiter {
  readonly user: PlaceUser;
  readonly grant: (place: Place | undefined) => void;
}

/**
 * Lets at most `most` agents run: each is a process of 100 MB and more, and a hundred chats that wake at once would take
 * the machine's memory. First come, first served. An agent that only rests gives way to whoever waits.
 */
export function createAgentPlaces(most: number): AgentPlaces {
  let line: readonly Waiter[] = [];
  /** The one whose use is longest ago first. */
  const taken = new Set<Taken>();

  const leaving = (): number => [...taken].filter((each) => each.leaving).length;

  function serve(): void {
    for (let [next] = line; next !== undefined && taken.size < most; [next] = line) {
      line = line.slice(1);
      next.grant(take(next.user));
    }
    let missing = line.length - leaving();
    for (const each of taken) {
      if (missing <= 0) return;
      if (each.leaving || !each.isResting()) continue;
      each.leaving = true;
      missing -= 1;
      each.putToRest();
    }
  }

  function take(user: PlaceUser): Place {
    const own: Taken = { ...user, leaving: false };
    taken.add(own);
    return {
      rests() {
        if (taken.delete(own)) taken.add(own);
      },
      leaves() {
        own.leaving = true;
      },
      free() {
        if (taken.delete(own)) serve();
      },
    };
  }

  return {
    most,
    get isAwaited() {
      return line.length > leaving();
    },
    get hasRoom() {
      if (line.length > 0) return false;
      return taken.size < most || [...taken].some((each) => each.leaving || each.isResting());
    },
    request(user) {
      const { promise, resolve } = Promise.withResolvers<Place | undefined>();
      let granted: Place | undefined;
      const waiter: Waiter = {
        user,
        grant(place) {
          granted = place;
          resolve(place);
        },
      };
      line = [...line, waiter];
      serve();
      return {
        place: promise,
        get isHeldUp() {
          const before = line.indexOf(waiter);
          return before !== -1 && before >= leaving();
        },
        withdraw() {
          granted?.free();
          line = line.filter((other) => other !== waiter);
          resolve(undefined);
        },
      };
    },
  };
}
