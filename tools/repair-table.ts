/**
 * Writes docs/fixes.md: the fix that a person would write and ours, for every seeded mistake that `blackout fix` is held against.
 * `npx tsx tools/repair-table.ts [PATTERN]`: rows whose names do not match stay as they are.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mend } from "../test/repair/mending.ts";
import { curable, incurable } from "../test/repair/rows.ts";
import { tableRow } from "../test/repair/table.ts";

const file = "docs/fixes.md";
const head = `# What a person would write, and what blackout fix writes

Made by \`npx tsx tools/repair-table.ts\`; \`make seeded\` holds every row against what is written today. On the left stands what the guest
without its mistake has in its place, on the right what is inserted, and after which line, or why no flush and no fence can cure it.

| mistake | by hand | by blackout fix |
|---|---|---|
`;

const pattern = new RegExp(process.argv[2] ?? "");
const rowsOf = (text: string) => new Map(text.split("\n").map((line) => [/^\| (.*?) \(/.exec(line)?.[1] ?? "", line]));

const all = [...curable, ...incurable];
for (const row of all.filter(({ name }) => pattern.test(name))) {
  const made = tableRow(row, await mend(row));
  console.log(made);
  // Anew each time: others may be at work on other rows.
  const rows = rowsOf(existsSync(file) ? readFileSync(file, "utf8") : "").set(row.name, made);
  const lines = all.flatMap(({ name }) => rows.get(name) ?? []);
  writeFileSync(file, `${head}${lines.join("\n")}\n`);
}
