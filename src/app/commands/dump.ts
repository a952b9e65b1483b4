/**
 * What `replay --dump` writes for a crash: `files/` with the crashed files, each where its own path says; `acknowledged`, what
 * the program had printed; `input`, what it read; and `open.sh`, which runs recovery on them natively.
 */
import { join } from "node:path";
import { printable } from "../../base/index.ts";
import type { Witness } from "../../crash/states/index.ts";
import { type TreeFile, wholeFile } from "../../host/index.ts";
import type { MappedFile } from "../../model/pmem/index.ts";
import type { Remains } from "../../session/work/index.ts";

/** What no terminal is to get when the script is looked at, as bytes that printf makes; printf's result loses line ends. */
const hidden = /[^\P{C}\n]+/u;
const octal = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/** For a shell, whatever it holds. */
function quoted(text: string): string {
  const found = hidden.exec(text);
  if (found === null) return `'${text.replaceAll("'", "'\\''")}'`;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  return `${before && quoted(before)}"$(printf '${octal(found[0])}')"${after && quoted(after)}`;
}

/** A word of a command in which each crashed file's path became that of its copy. */
function redirected(word: string, paths: readonly string[]): string {
  const path = paths.find((each) => word.includes(each));
  if (path === undefined) return quoted(word);
  const at = word.indexOf(path);
  const [before, after] = [word.slice(0, at), word.slice(at + path.length)];
  return `${before && quoted(before)}"$here"/files${quoted(path)}${after && redirected(after, paths)}`;
}

/** Set-up as in the machine: names without a slash are looked for along PATH, others are as seen from its directory. */
function commandWords({ subject }: Witness, paths: readonly string[]): string {
  const [name = "", ...args] = subject.recover ?? subject.program;
  const program = name.includes("/") && !name.startsWith("/") ? join(subject.directory, name) : name;
  return [quoted(program), ...args.map((arg) => redirected(arg, paths))].join(" ");
}

export function openingScript(witness: Witness, mappings: readonly MappedFile[], paths: readonly string[]): string {
  const longestFirst = [...paths].sort((a, b) => b.length - a.length);
  const { subject } = witness;
  const [first] = mappings;
  const variables = [...subject.env, ...(first ? [`PMEM_MMAP_HINT=0x${first.start.toString(16)}`] : [])];
  return [
    "#!/bin/sh",
    "# Runs the recovery natively on the crashed files, and changes them: replay --dump writes them anew.",
    ...(subject.root === undefined
      ? []
      : [`# The program ran below ${printable(subject.root)}: enter that tree first.`]),
    "# When the power was cut, the program had mapped:",
    ...mappings.map(
      ({ start, end, offset, path }) =>
        `#   0x${start.toString(16)} to 0x${end.toString(16)}: ${printable(path)} from 0x${offset.toString(16)}`,
    ),
    'here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit',
    `mkdir -p "$here"/files${quoted(subject.directory)} && cd "$here"/files${quoted(subject.directory)} || exit`,
    // env alone would take a program with "=" in its name for one more variable.
    `exec env BLACKOUT_ACKED="$here"/acknowledged ${variables.map(quoted).join(" ")} sh -c 'exec "$@"' sh \\`,
    `  ${commandWords(witness, longestFirst)} < "$here"/input`,
    "",
  ].join("\n");
}

export const openingName = "open.sh";

/** What is written of a crash, by its path below the folder of this name. */
export function dumpFiles(folder: string, witness: Witness, remains: Remains): ReadonlyMap<string, TreeFile> {
  const { files, acknowledged, input, mappings } = remains;
  const script = new TextEncoder().encode(openingScript(witness, mappings, [...files.keys()]));
  return new Map<string, TreeFile>([
    ...[...files].map(([path, file]) => [join(folder, "files", join("/", path)), file] as const),
    [join(folder, "acknowledged"), wholeFile(acknowledged)],
    [join(folder, "input"), wholeFile(input)],
    [join(folder, openingName), wholeFile(script)],
  ]);
}
