/** How a line opens a code block in markdown: the fence itself, and what stands behind it. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/**
 * Closes a code block that `markdown` leaves open. What is said next would else become code: an agent that is cut off
 * in one step begins the following one as if nothing were open.
 */
export function closeFence(markdown: string): string {
  let open: string | undefined;
  for (const line of markdown.split("\n")) {
    const [, fence, rest = ""] = FENCE.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) {
      // A backtick behind a fence of backticks makes the line a piece of inline code.
      if (!(fence.startsWith("`") && rest.includes("`"))) open = fence;
    } else if (fence.startsWith(open) && rest.trim() === "") {
      open = undefined;
    }
  }
  return open === undefined ? markdown : `${markdown}\n${open}`;
}
