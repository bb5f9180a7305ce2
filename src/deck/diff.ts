/** A line of a difference. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Lines of each side beyond which no common ones are searched: the table of it would have millions of cells. */
const MOST_LINES = 1_500;

/** Unchanged lines that are kept around a change. */
const CONTEXT = 3;

/** What became of `before` in `after`, line by line, with the fewest changes. Removed lines come before added ones. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const old = linesOf(before);
  const young = linesOf(after);
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < young.length - start &&
    old[old.length - 1 - end] === young[young.length - 1 - end]
  )
    end += 1;
  return [
    ...old.slice(0, start).map(same),
    ...changes(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
}

/** A difference without its long unchanged stretches; `undefined` stands where lines were left out. */
export function withContext(lines: readonly DiffLine[]): readonly (DiffLine | undefined)[] {
  const near = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== "same"),
  );
  return lines.flatMap((line, index) => {
    if (near[index] === true) return [line];
    return index === 0 || near[index - 1] === true ? [undefined] : [];
  });
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function same(text: string): DiffLine {
  return { kind: "same", text };
}

function changes(old: readonly string[], young: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (old.length > MOST_LINES || young.length > MOST_LINES) return [...old.map(removed), ...young.map(added)];

  // common[i][j]: the length of the longest common subsequence of what follows i and j.
  const width = young.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = young.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        old[i] === young[j]
          ? 1 + (common[(i + 1) * width + j + 1] ?? 0)
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < young.length) {
    const [line, other] = [old[i], young[j]];
    if (line !== undefined && line === other) {
      lines.push(same(line));
      i += 1;
      j += 1;
    } else if (
      line !== undefined &&
      (other === undefined || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      lines.push(removed(line));
      i += 1;
    } else if (other !== undefined) {
      lines.push(added(other));
      j += 1;
    }
  }
  return lines;
}
