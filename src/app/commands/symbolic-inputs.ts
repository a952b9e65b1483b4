/** `blackout symbolic --out DIR`: for each finding the input that leads to it, as files and as a script that runs the program on it. */
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

export function writeInputs(folder: string, found: readonly FoundByInput[]): void {
  const tree = new Map<string, TreeFile>();
  for (const [index, { finding, input }] of found.entries()) {
    const at = (name: string) => `${index + 1}-${finding.rule.id}/${name}`;
    tree.set(at("run.sh"), wholeFile(new TextEncoder().encode(scriptOf(input)), true));
    tree.set(at("finding.txt"), wholeFile(new TextEncoder().encode(`${finding.says}\n`)));
    if (input.stdin !== undefined) tree.set(at("stdin"), wholeFile(input.stdin));
    for (const [file, { bytes }] of input.files.entries()) tree.set(at(fileName(file)), wholeFile(bytes));
    for (const [name, bytes] of input.named) tree.set(at(`named-${name.replace(/[^\w#]/g, "_")}`), wholeFile(bytes));
  }
  writeTree(folder, tree);
}
