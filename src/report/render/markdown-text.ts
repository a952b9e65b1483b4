/**
 * A page of our docs as text for a terminal: as much of Markdown as docs/rules uses. Links lose their targets, which lead
 * nowhere in a terminal, and so do names of our own test programs; code stays as it is.
 */
import type { Paint } from "./story.ts";
import { wrapped } from "./wrap.ts";

const code = "    ";

const plain = (text: string): string =>
  text
    .replaceAll(/ *\(`guests\/[^`]*`\)/g, "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "");

const cellsOf = (row: string): readonly string[] =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => plain(cell.trim()));

/** A row for each line below the head: "severity: error", "platforms: px86, strict". */
const tableLines = ([head, , ...rows]: readonly string[]): string[] => {
  const names = cellsOf(head ?? "");
  return rows.flatMap((row) => cellsOf(row).map((cell, at) => `  ${names[at]}: ${cell}`));
};

function blockLines(lines: readonly string[], width: number, paint: Paint): string[] {
  const [first = ""] = lines;
  const heading = /^#+ (.*)$/.exec(first);
  if (heading) return [paint(plain(heading[1]!), "strong")];
  if (first.startsWith("|")) return tableLines(lines);
  if (first.startsWith("```"))
    return lines.slice(1, -1).map((line) => (line === "" ? "" : `${code}${line.replace("// expect: ", "// ")}`));
  // An item of a list, or a paragraph, may go on over several lines.
  const items = lines.join("\n").split(/\n(?=- )/);
  return items.flatMap((item) => {
    const text = plain(item.replaceAll(/\n */g, " "));
    return wrapped(text, width, text.startsWith("- ") ? "  " : "");
  });
}

/** Blank lines part blocks, but not inside code. */
function blocksOf(text: string): string[][] {
  const blocks: string[][] = [];
  let block: string[] = [];
  let inCode = false;
  const end = () => {
    if (block.length > 0) blocks.push(block);
    block = [];
  };
  for (const line of text.split("\n")) {
    const fence = line.startsWith("```");
    if (fence && !inCode) end();
    if (line === "" && !inCode) end();
    else block.push(line);
    if (fence) inCode = !inCode;
    if (fence && !inCode) end();
  }
  end();
  return blocks;
}

export const markdownText = (text: string, width: number, paint: Paint = (words) => words): string =>
  blocksOf(text)
    .map((block) => blockLines(block, width, paint).join("\n"))
    .join("\n\n");
