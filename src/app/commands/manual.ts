/** `blackout help --man`: the manual page, in roff's man macros, made of the commands' own tables. */
import { blackoutVersion } from "../../base/index.ts";
import { type Described, type DescribedOption, describedCommands } from "./described.ts";
import { optionGroups } from "./help.ts";

/** Text as roff prints it: no escape, and no request at the beginning of a line. */
const roff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&");

const bold = (text: string): string => `.B ${roff(text).replaceAll('"', "\\(dq")}`;

const described = "Finds, explains, proves and repairs crash-consistency bugs in unmodified persistent-memory programs";

const exitCodes: readonly (readonly [code: number, what: string])[] = [
  [0, "Nothing was found."],
  [1, "Something is at least as bad as --fail-on."],
  [2, "What was given makes no sense, or cannot be read or written."],
  [3, "No finding, but a limit was reached, nothing was tested, or the program failed."],
  [70, "A bug of Blackout itself."],
  [130, "Interrupted."],
];

const files: readonly (readonly [name: string, what: string])[] = [
  ["blackout.config.json", "Options of commands, by their long names: a section for each command."],
  ["~/.cache/blackout", "What was made of programs' code, and witnesses of findings, for a while."],
];

const item = (term: string, text: string): string[] => [".TP", bold(term), roff(text)];

function sectionOf({ name, summary, line, options }: Described): string[] {
  if (line === undefined) return [`.SS blackout ${name}`, roff(`${summary}: see blackout ${name} --help.`)];
  const byLong = new Map(options.map((option) => [option.long, option]));
  const groups = [...optionGroups(line.options)].flatMap(([group, members]) => {
    const known = members.flatMap(({ long = "" }): readonly DescribedOption[] => {
      const option = byLong.get(long);
      return option === undefined ? [] : [option];
    });
    return [".PP", `.I ${roff(group)}`, ...known.flatMap(({ flags, what }) => item(flags, what))];
  });
  return [`.SS blackout ${name}`, roff(line.description()), ...groups];
}

export async function manualPage(): Promise<string> {
  const all = (await describedCommands()).filter(({ name }) => name !== "help");
  return [
    `.TH BLACKOUT 1 "" "blackout ${blackoutVersion}" "User Commands"`,
    ".SH NAME",
    `blackout \\- ${roff(described.toLowerCase())}`,
    ".SH SYNOPSIS",
    `.B blackout`,
    ".I COMMAND",
    roff("[options] -- PROGRAM [arguments]"),
    ".SH DESCRIPTION",
    `${roff(described)}.`,
    roff(
      "It runs x86-64 Linux programs in a machine of its own, cuts the power where it matters, and runs their recovery on what is left.",
    ),
    ".SH COMMANDS",
    ...all.flatMap(({ name, summary }) => item(name, summary)),
    ".SH OPTIONS",
    ...all.flatMap(sectionOf),
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(([code, what]) => item(String(code), what)),
    ".SH FILES",
    ...files.flatMap(([name, what]) => item(name, what)),
  ].join("\n");
}
