/** The value of one cookie of a Cookie header; "" without it. */
export function cookieOf(header: string | undefined, name: string): string {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return "";
}
