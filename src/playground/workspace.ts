import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES: Readonly<Record<string, string>> = {
  "README.md": `# A place to try things

This folder belongs to evie's playground. The agent starts here: let it read, change and run what it likes.

- \`greet.js\` greets, and has a small fault.
- \`notes/shopping.md\` is a list that nobody has sorted.
- \`data/rain.csv\` is the rain of one week.
`,
  "greet.js": `const names = ["Ada", "Grace", "Edsger"];

// One of them is never greeted. Why?
for (let i = 0; i < names.length - 1; i += 1) {
  console.log(\`Hello, \${names[i]}!\`);
}
`,
  "notes/shopping.md": `bread, batteries, apples, a lamp, cheese, screws (the long ones), pears, tape
`,
  "data/rain.csv": `day,millimetres
Monday,3.2
Tuesday,0
Wednesday,11.5
Thursday,7.1
Friday,0
Saturday,0.4
Sunday,19.8
`,
};

/** Makes the folder that the playground's agent works in, with a few files to play with. Files that are there stay as they are. */
export function prepareWorkspace(folder: string): void {
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(path, text, { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
