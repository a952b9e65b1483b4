/**
 * `blackout completion`: a script that completes commands, options and what these take, made of the commands' own option tables.
 * After `--` the words are the program's, and files are completed.
 */
import type { Command } from "commander";
import { stdoutLine } from "../../host/index.ts";
import { type Described, describedCommands } from "./described.ts";
import { exitCode } from "./exit-codes.ts";
import { oneOf, ownCommand, withExamples } from "./options.ts";

/** Within single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Options that take one of a few words, by their commands: `check --format`. */
const choices = (all: readonly Described[]): readonly { readonly at: string; readonly words: readonly string[] }[] =>
  all.flatMap(({ name, options }) =>
    options
      .filter((option) => option.choices.length > 0)
      .map((option) => ({ at: `${name} ${option.long}`, words: option.choices })),
  );

const wordsOfCommands = (all: readonly Described[]) => all.filter(({ words }) => words.length > 0);
const withOptions = (all: readonly Described[]) => all.filter(({ options }) => options.length > 0);

const bash = (all: readonly Described[]): string =>
  [
    "_blackout() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" each options="" words=""',
    '  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    if [ "$each" = -- ]; then COMPREPLY=($(compgen -f -- "$word")); return; fi',
    "  done",
    `  local names=${quoted(all.map(({ name }) => name).join(" "))}`,
    '  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "$names --version --help" -- "$word")); return; fi',
    '  case "${COMP_WORDS[1]} $before" in',
    ...choices(all).map(({ at, words }) => `    ${quoted(at)}) words=${quoted(words.join(" "))} ;;`),
    "  esac",
    '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi',
    '  case "${COMP_WORDS[1]}" in',
    ...withOptions(all).map(
      ({ name, options }) => `    ${name}) options=${quoted(options.map(({ long }) => long).join(" "))} ;;`,
    ),
    "  esac",
    '  case "${COMP_WORDS[1]}" in',
    ...wordsOfCommands(all).map(({ name, words }) => `    ${name}) words=${quoted(words.join(" "))} ;;`),
    "  esac",
    '  case "$word" in',
    '    -*) COMPREPLY=($(compgen -W "$options --help --" -- "$word")) ;;',
    '    *) if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi ;;',
    "  esac",
    "}",
    "complete -o filenames -F _blackout blackout",
  ].join("\n");

const zsh = (all: readonly Described[]): string =>
  [
    "#compdef blackout",
    "_blackout() {",
    "  if (( CURRENT == 2 )); then",
    `    local -a names=(${all.map(({ name, summary }) => quoted(`${name}:${summary}`)).join(" ")})`,
    "    _describe command names; return",
    "  fi",
    "  if (( ${words[(Ie)--]} && ${words[(Ie)--]} < CURRENT )); then _files; return; fi",
    "  local -a options found",
    '  case "${words[2]} ${words[CURRENT-1]}" in',
    ...choices(all).map(({ at, words }) => `    ${quoted(at)}) found=(${words.map(quoted).join(" ")}) ;;`),
    "  esac",
    "  if (( $#found )); then compadd -- $found; return; fi",
    '  case "${words[2]}" in',
    ...withOptions(all).map(
      ({ name, options }) => `    ${name}) options=(${options.map(({ long }) => quoted(long)).join(" ")}) ;;`,
    ),
    "  esac",
    '  case "${words[2]}" in',
    ...wordsOfCommands(all).map(({ name, words }) => `    ${name}) found=(${words.map(quoted).join(" ")}) ;;`),
    "  esac",
    '  if [[ "$PREFIX" == -* ]]; then compadd -- $options --help; elif (( $#found )); then compadd -- $found; else _files; fi',
    "}",
    "compdef _blackout blackout",
  ].join("\n");

/** Within a shell's quotes, where a backslash means something. */
const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const fish = (all: readonly Described[]): string =>
  all
    .flatMap(({ name, summary, options, words }) => {
      const inside = `complete -c blackout -n '__fish_seen_subcommand_from ${name}'`;
      return [
        `complete -c blackout -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
        ...(words.length > 0 ? [`${inside} -f -a ${fishQuoted(words.join(" "))}`] : []),
        ...options.map(({ long, what, takesValue, choices: known }) => {
          const value = known.length > 0 ? ` -x -a ${fishQuoted(known.join(" "))}` : takesValue ? " -r" : "";
          return `${inside} -l ${long.slice(2)}${value} -d ${fishQuoted(what)}`;
        }),
      ];
    })
    .join("\n");

const shells = { bash, zsh, fish } as const;
export const shellNames = Object.keys(shells) as readonly (keyof typeof shells)[];

export const completionCommandLine = (): Command =>
  withExamples(
    ownCommand("blackout completion")
      .description("Prints a script that completes commands and options in a shell.")
      .argument("<shell>", "bash, zsh or fish"),
    ["source <(blackout completion bash)", "completes in this shell; put it into ~/.bashrc to keep it"],
    ["blackout completion fish > ~/.config/fish/completions/blackout.fish", "for fish"],
  );

export async function completionCommand(args: readonly string[]): Promise<number> {
  const command = completionCommandLine();
  command.parse([...args], { from: "user" });
  const shell = oneOf("The shell", shellNames)(command.args[0]!);
  stdoutLine(shells[shell](await describedCommands()));
  return exitCode.clean;
}
