import { expect, it } from "vitest";
import { markdownText } from "./markdown-text.ts";

const page = `# a-rule: what it finds

| severity | modes |
|---|---|
| error | dax, msync |

A long paragraph with **weight**, [a link](../x.md) and \`code\` that has to be broken.
It goes on.

## Example

Two stores. (\`guests/rules/a/bad.c\`)

\`\`\`c
int x; // expect: a-rule

y();
\`\`\`

- one item that is longer than a line
- two
`;

it("prints a page as text that fits", () => {
  expect(markdownText(page, 40, (text, how) => (how === "strong" ? text.toUpperCase() : text))).toBe(
    `A-RULE: WHAT IT FINDS

  severity: error
  modes: dax, msync

A long paragraph with weight, a link and
\`code\` that has to be broken. It goes
on.

EXAMPLE

Two stores.

    int x; // a-rule

    y();

- one item that is longer than a line
- two`,
  );
});
