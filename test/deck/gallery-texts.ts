/** An answer with everything that an answer can have. */
export const ANSWER = `The parser lives in \`src/parse.ts\`, and the bug is in how it treats the **last line**: without a newline at its end it is dropped.

## What I would change

1. Keep the rest after the last newline.
2. Hand it on when the stream ends.
   - but only if it is not empty
   - and only once

\`\`\`ts
export async function* lines(source: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of source) {
    const parts = (rest + chunk).split("\\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest !== "") yield rest;
}
\`\`\`

| Case | Before | After |
|:-----|-------:|------:|
| ends with a newline | 3 lines | 3 lines |
| ends without | 2 lines | 3 lines |

> A line is what a newline *ends*, says POSIX. Most people write files that disagree.

More about it in [the manual](https://example.com/manual), and a picture: ![how it flows](https://example.com/flow.png)`;

/** The arguments of an edit. */
export const DIFF = JSON.stringify({
  path: "src/parse.ts",
  edits: [
    {
      oldText: '  for await (const chunk of source) {\n    yield* chunk.split("\\n");\n  }\n}',
      newText:
        '  let rest = "";\n  for await (const chunk of source) {\n    const parts = (rest + chunk).split("\\n");\n    rest = parts.pop() ?? "";\n    yield* parts;\n  }\n  if (rest !== "") yield rest;\n}',
    },
  ],
});
