interface CallFaultScope {
  /** The methods that it hits; all of them, `getUpdates` included, when not given. */
  readonly methods?: string | readonly string[];
  /** Only calls that name this chat. */
  readonly chatId?: number;
  /** How many calls it hits; without it, all until `off`. */
  readonly times?: number;
}

/** What goes wrong with a call. `before` and `after` say on which side of the method's effect. */
export type CallFault = CallFaultScope &
  (
    | { readonly kind: "flood"; readonly retryAfter: number }
    | { readonly kind: "error"; readonly code: number; readonly description: string }
    /** The HTML page of a proxy. */
    | { readonly kind: "html"; readonly status: number }
    | { readonly kind: "reset"; readonly when: "before" | "after" }
    /** No answer, until the client goes or the fault is switched off (then the connection is dropped). */
    | { readonly kind: "hang"; readonly when: "before" | "after" }
    /** Waits `ms` on the clock, by default after the effect. */
    | { readonly kind: "slow"; readonly ms: number; readonly when?: "before" | "after" }
    /** The effect happens; the answer ends in its middle, short of its content-length. */
    | { readonly kind: "cut" }
  );

/** What goes wrong with the download of a file. */
export type FileFault = {
  /** Only paths that contain this. */
  readonly path?: string;
  readonly times?: number;
} & (
  | { readonly kind: "slow"; readonly bytesPerSecond: number }
  /** The connection ends after `bytes`, short of the content-length. */
  | { readonly kind: "truncated"; readonly bytes: number }
  | { readonly kind: "missing" }
  /** The content-length is not the file's. A larger one ends short, a smaller one cuts. */
  | { readonly kind: "lie"; readonly contentLength: number }
  /** Nothing comes after `bytes`. */
  | { readonly kind: "hang"; readonly bytes: number }
  | { readonly kind: "status"; readonly status: number }
);

export interface ActiveFault {
  /** How many requests it has hit. */
  readonly hits: number;
  off(): void;
}

export interface Faults {
  /** Of several that match a call, the one added first hits it. */
  readonly calls: (fault: CallFault) => ActiveFault;
  readonly files: (fault: FileFault) => ActiveFault;
  /** Ends every fault of calls and files. */
  readonly clear: () => void;
  /** Refuses connections and drops those that are open, until `end`; the port stays the same. */
  outage(): Promise<{ end(): Promise<void> }>;
}

/** A fault that a request has run into; `off` is aborted when the fault is switched off. */
export interface Hit<F> {
  readonly fault: F;
  readonly off: AbortSignal;
}

export interface FaultPlan extends Omit<Faults, "outage"> {
  /** The fault that a call runs into, which counts as a hit. */
  hitCall(method: string, chatId: number | undefined): Hit<CallFault> | undefined;
  hitFile(path: string): Hit<FileFault> | undefined;
}

interface Armed<F> {
  readonly fault: F & { readonly times?: number };
  hits: number;
  readonly end: AbortController;
}

/** `changed` is called after each hit. */
export function createFaultPlan(changed: () => void): FaultPlan {
  const calls: Armed<CallFault>[] = [];
  const files: Armed<FileFault>[] = [];

  const arm = <F extends { readonly times?: number }>(list: Armed<F>[], fault: F): ActiveFault => {
    const armed: Armed<F> = { fault, hits: 0, end: new AbortController() };
    list.push(armed);
    return {
      get hits() {
        return armed.hits;
      },
      off: () => armed.end.abort(),
    };
  };
  const hit = <F>(list: readonly Armed<F>[], matches: (fault: F) => boolean): Hit<F> | undefined => {
    const armed = list.find(
      ({ fault, hits, end }) => !end.signal.aborted && hits < (fault.times ?? Infinity) && matches(fault),
    );
    if (armed === undefined) return undefined;
    armed.hits += 1;
    changed();
    return { fault: armed.fault, off: armed.end.signal };
  };

  return {
    calls: (fault) => arm(calls, fault),
    files: (fault) => arm(files, fault),
    clear() {
      for (const { end } of [...calls, ...files]) end.abort();
    },
    hitCall: (method, chatId) =>
      hit(calls, (fault) => {
        const { methods = [method] } = fault;
        const named = (typeof methods === "string" ? [methods] : methods).map((name) => name.toLowerCase());
        return (
          named.includes(method.toLowerCase()) && (fault.chatId === undefined || fault.chatId === chatId)
        );
      }),
    hitFile: (path) => hit(files, (fault) => fault.path === undefined || path.includes(fault.path)),
  };
}
