/** Where a browser keeps texts by name. */
export interface Shelf {
  getItem(name: string): string | null;
  /** Throws when it is full, or when the browser keeps it from the page. */
  setItem(name: string, value: string): void;
}

/** What lets a page in. Unlike a cookie, which goes to every port of its host, it stays with the page's origin. */
export interface Keys {
  /** Returns the key to come with; undefined where there is none. */
  current(): string | undefined;
  /** Takes a key that a link brought. It is kept once the server has taken it: no link can put a bad one in the place of a good one. */
  offer(key: string): void;
  /** The server has taken the current key. */
  taken(): void;
  /** The server has refused the current key. Tells whether there is another one to come with. */
  refused(): boolean;
}

/** Keeps the key of this origin under `name`; while the browser forbids that, for as long as the page lives. */
export function createKeys(shelf: () => Shelf, name: string): Keys {
  let offered: string | undefined;
  const kept = (): string | undefined => {
    try {
      return shelf().getItem(name) ?? undefined;
    } catch {
      // Forbidden, and then nothing was kept.
      return undefined;
    }
  };
  return {
    current: () => offered ?? kept(),
    offer(key) {
      offered = key === kept() ? undefined : key;
    },
    taken() {
      if (offered === undefined) return;
      try {
        shelf().setItem(name, offered);
        offered = undefined;
      } catch {
        // Forbidden or full: it is good for as long as the page lives.
      }
    },
    refused() {
      const refused = offered;
      offered = undefined;
      return refused !== undefined && kept() !== undefined && kept() !== refused;
    },
  };
}

/**
 * Finds the key in an address, behind its `#` or in its query, where links of former versions have it. Gives the key and
 * the rest of the address, from its path on; undefined without a key.
 */
export function keyIn(address: string): { readonly key: string; readonly rest: string } | undefined {
  const { pathname, searchParams, hash } = new URL(address);
  const behind = new URLSearchParams(hash.slice(1));
  const key = behind.get("key") ?? searchParams.get("key") ?? "";
  // Whatever else stands there could not be sent beside a protocol.
  return /^[\w-]+$/.test(key) ? { key, rest: pathname } : undefined;
}
