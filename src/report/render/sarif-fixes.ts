/** A cure's diff as SARIF's fixes: what is deleted and what is put in its place, line by line. */
import type { Cure } from "../document/index.ts";

interface Replacement {
  readonly deletedRegion: object;
  readonly insertedContent?: { readonly text: string };
}

interface FileChange {
  readonly path: string;
  readonly replacements: Replacement[];
}

const hunk = /^@@ -(\d+)(?:,(\d+))? \+/;

/** Lines that a hunk takes away, and what it puts there, before line `at`. */
interface Block {
  at: number;
  removed: number;
  added: string[];
}

function replacementOf({ at, removed, added }: Block): Replacement {
  const deletedRegion = { startLine: at, startColumn: 1, endLine: at + removed, endColumn: 1 };
  return added.length === 0
    ? { deletedRegion }
    : { deletedRegion, insertedContent: { text: added.map((line) => `${line}\n`).join("") } };
}

/** The changes of a unified diff, a file after another. */
export function changesOf(diff: string): readonly FileChange[] {
  const files: FileChange[] = [];
  let block: Block = { at: 1, removed: 0, added: [] };
  const finish = () => {
    if (block.removed + block.added.length > 0) files.at(-1)?.replacements.push(replacementOf(block));
    block = { at: block.at + block.removed, removed: 0, added: [] };
  };
  for (const line of diff.split("\n")) {
    const begins = hunk.exec(line);
    if (line.startsWith("+++ ")) {
      finish();
      files.push({ path: line.slice(4).replace(/^b\//, "").replace(/\t.*/, ""), replacements: [] });
    } else if (begins !== null) {
      finish();
      // A hunk without old lines stands behind the line that it names.
      block = { at: Number(begins[1]) + (begins[2] === "0" ? 1 : 0), removed: 0, added: [] };
    } else if (line.startsWith("--- ")) finish();
    else if (line.startsWith("+")) block.added.push(line.slice(1));
    else if (line.startsWith("-")) block.removed++;
    else if (line.startsWith(" ")) {
      finish();
      block = { at: block.at + 1, removed: 0, added: [] };
    }
  }
  finish();
  return files.filter(({ replacements }) => replacements.length > 0);
}

/** Nothing where nobody made a diff. */
export function fixesOf(cure: Cure | undefined, advice: string, locationOf: (path: string) => object) {
  const changes = cure?.diff === undefined ? [] : changesOf(cure.diff);
  if (changes.length === 0) return {};
  const artifactChanges = changes.map(({ path, replacements }) => ({
    artifactLocation: locationOf(path),
    replacements,
  }));
  return { fixes: [{ description: { text: advice }, artifactChanges }] };
}
