/** Made at the first use: a segmenter loads tables of some 2 MB, which a start has no use for. */
const segmenter = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));

/** Returns the characters of a text as people count them: an emoji with all that belongs to it is one. */
export function graphemesOf(text: string): Intl.Segments {
  return segmenter().segment(text);
}

function lazy<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
