/** The session that an address of the deck shows: `/s/<id>`; undefined at `/`. */
export function sessionAt(path: string): string | undefined {
  const name = /^\/s\/([^/]+)\/?$/.exec(path)?.[1];
  if (name === undefined) return undefined;
  try {
    return decodeURIComponent(name);
  } catch {
    // Typed by hand, with a stray %.
    return undefined;
  }
}

/** The inverse of `sessionAt`. */
export function pathOf(sessionId: string | undefined): string {
  return sessionId === undefined ? "/" : `/s/${encodeURIComponent(sessionId)}`;
}
