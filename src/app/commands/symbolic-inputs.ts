/**
 * What `blackout symbolic` writes of inputs, as files and as scripts that run the program on them: with `--out DIR` for each finding the
 * input that leads to it, with `--cover DIR` one for each path that modifies persistent memory.
 */
import type { CommandInput, FoundByInput } from "../../engines/index.ts";
import { type TreeFile, wholeFile, writeTree } from "../../host/index.ts";

/** As bash takes it, whatever its bytes are: a character for each. */
const quoted = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word)
    ? word
    : `$'${[...word].map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`).join("")}'`;

const fileName = (index: number): string => `file-${index + 1}`;

function scriptOf({ words, stdin, environment, files }: CommandInput): string {
  const places = files.map(
    ({ path, offset }, index) =>
      `dd if="$here/${fileName(index)}" of=${quoted(path)} bs=1 seek=${offset} conv=notrunc status=none`,
  );
  const variables = environment.length === 0 ? "" : `env ${environment.map(quoted).join(" ")} `;
  const input = stdin === undefined ? "" : ' < "$here/stdin"';
  return [
    "#!/bin/bash",
    "# Runs the program on the input that leads to the finding.",
    'here="$(cd "$(dirname "$0")" && pwd)"',
    ...places,
    `exec ${variables}${words.map(quoted).join(" ")}${input}`,
    "",
  ].join("\n");
}

function addInput(tree: Map<string, TreeFile>, folder: string, input: CommandInput): void {
  const add = (name: string, bytes: Uint8Array, runs = false) => tree.set(`${folder}/${name}`, wholeFile(bytes, runs));
  add("run.sh", new TextEncoder().encode(scriptOf(input)), true);
  if (input.stdin !== undefined) add("stdin", input.stdin);
  for (const [file, { bytes }] of input.files.entries()) add(fileName(file), bytes);
  for (const [name, bytes] of input.named) add(`named-${name.replace(/[^\w#]/g, "_")}`, bytes);
}

export function writeInputs(folder: string, found: readonly FoundByInput[]): void {
  const tree = new Map<string, TreeFile>();
  for (const [index, { finding, input }] of found.entries()) {
    const own = `${index + 1}-${finding.rule.id}`;
    addInput(tree, own, input);
    tree.set(`${own}/finding.txt`, wholeFile(new TextEncoder().encode(`${finding.says}\n`)));
  }
  writeTree(folder, tree);
}

/** A file for each input, as other commands' --input takes them; a folder where more than standard input is unknown. */
export function writeCorpus(folder: string, inputs: readonly CommandInput[], isStdinAlone: boolean): void {
  const tree = new Map<string, TreeFile>();
  for (const [index, input] of inputs.entries()) {
    const own = `path-${`${index + 1}`.padStart(5, "0")}`;
    if (isStdinAlone && input.stdin !== undefined && input.named.size === 0) tree.set(own, wholeFile(input.stdin));
    else addInput(tree, own, input);
  }
  writeTree(folder, tree);
}
