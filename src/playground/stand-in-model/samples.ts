/** What the plain words do. */
export const helpText = `I am a stand-in for a model, so that evie can be tried without one. One of these words alone does this:

- **markdown** shows everything that a text can hold
- **long** writes several pages, slowly, so that you can interrupt me
- **think** thinks first and speaks then
- **tool** runs a small command on this machine and shows what it said
- **run** and a command, such as \`run ls -l\`, runs that one (it is a real shell)
- **fail** lets the provider fail until the agent gives up
- **help** says all this

To anything else I answer with what reached me: how many characters, in which parts, and which pictures. Write two messages quickly one after the other, or send an album, and see them arrive as one.`;

/** What it thinks when it is asked to. */
export const thoughts = `The person wants to see me think. Thinking takes a moment. First there is nothing, then there are words, and only behind them comes the answer. That should be enough to be seen.`;

/** Every construct that an answer can hold, one after the other. */
export const markdownSample = `# A heading

## A smaller one

Plain text with **bold**, *italic*, ***both***, ~~struck out~~, \`code\`, ||a spoiler|| and [a link](https://example.org/a?b=c&d=e "with a title"). An address alone: https://example.org/path_(with_brackets). Escaped: \\*no italics\\*, 2 * 3 * 4, snake_case_name, a < b && c > d.

A line that ends with two spaces  
goes on below.

> A quotation with **bold** in it,
> over two lines.
>
> > And one inside it.

- a list
  - nested once
    - nested twice, with \`code\`
- an item of two paragraphs

  This is the second.

1. first
2. second
   1. second, in detail
10. tenth

- [x] a box that is ticked
- [ ] a box that is not

\`\`\`ts
// Code with its language.
export function greet(name: string): string {
  return \`Hello, \${name}! <b>&amp;</b>\`;
}
\`\`\`

\`\`\`
Code without one.
	A line with a tab.
\`\`\`

| Item      | Count | Price |
| :-------- | :---: | ----: |
| Apple 🍎  |   3   |  1.20 |
| **Plum**  |  12   |  0.35 |
| 梨 (pear) |   1   | 10.00 |

---

![A picture by its address](https://example.org/picture.png)

Characters that are longer than they look: 👩‍👩‍👧‍👦 🇩🇪 👍🏽 é 漢字 שלום.

<b>HTML is shown as it was written</b>, and a note has its place[^1].

[^1]: Here it is.`;

const PARAGRAPHS = 60;
const SENTENCES: readonly string[] = [
  "The lamp of the lighthouse is lit at dusk, and somebody has to climb the stairs for it.",
  "There are two hundred and seventeen of them, and every keeper has counted them once.",
  "From above, the ships look as if they stood still.",
  "When the fog comes in, the horn takes over, once every thirty seconds.",
  "The log is kept in ink: wind, sea, visibility, and who passed.",
  "On clear nights the beam is seen from twenty miles away, and nobody there knows the keeper's name.",
  "Salt gets into everything, the clockwork above all.",
];

/** Some fifteen thousand characters, with numbered paragraphs, so that a missing or doubled one is seen. */
export function longText(): string {
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, index) => {
    const sentence = (step: number): string => SENTENCES[(index * 3 + step) % SENTENCES.length] ?? "";
    return `**${index + 1}.** ${sentence(0)} ${sentence(1)} ${sentence(2)}`;
  });
  return ["# The lighthouse", ...paragraphs, "That was all of it."].join("\n\n");
}
