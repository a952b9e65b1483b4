/** `blackout completion`: a script that completes commands and options, made of the commands' own option tables. */
import type { Command } from "commander";
import { stdoutLine } from "../../host/index.ts";
import { commands } from "./commands.ts";
import { exitCode } from "./exit-codes.ts";
import { oneOf, ownCommand, withExamples } from "./options.ts";

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly long: string; readonly what: string; readonly takesValue: boolean }[];
}

async function described(): Promise<readonly Described[]> {
  const all = Object.entries(commands).map(async ([name, { summary, line }]): Promise<Described> => {
    const options = (await line?.())?.options ?? [];
    return {
      name,
      summary,
      options: options.flatMap(({ long, description, required }) =>
        long === undefined ? [] : [{ long, what: description, takesValue: required }],
      ),
    };
  });
  return [...(await Promise.all(all)), { name: "help", summary: "show a command's options", options: [] }];
}

/** Within single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** After `--` the words are the program's, and files are completed. */
const bash = (all: readonly Described[]): string =>
  [
    "_blackout() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}" each options=""',
    '  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    if [ "$each" = -- ]; then COMPREPLY=($(compgen -f -- "$word")); return; fi',
    "  done",
    `  local names=${quoted(all.map(({ name }) => name).join(" "))}`,
    '  if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "${COMP_WORDS[1]}" = help ]; }; then',
    '    COMPREPLY=($(compgen -W "$names --version --help" -- "$word")); return',
    "  fi",
    '  case "${COMP_WORDS[1]}" in',
    ...all
      .filter(({ options }) => options.length > 0)
      .map(({ name, options }) => `    ${name}) options=${quoted(options.map(({ long }) => long).join(" "))} ;;`),
    "  esac",
    '  case "$word" in',
    '    -*) COMPREPLY=($(compgen -W "$options --help --" -- "$word")) ;;',
    '    *) COMPREPLY=($(compgen -f -- "$word")) ;;',
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
    "  local -a options",
    '  case "${words[2]}" in',
    ...all
      .filter(({ options }) => options.length > 0)
      .map(({ name, options }) => `    ${name}) options=(${options.map(({ long }) => quoted(long)).join(" ")}) ;;`),
    "  esac",
    '  if [[ "$PREFIX" == -* ]]; then compadd -- $options --help; else _files; fi',
    "}",
    "compdef _blackout blackout",
  ].join("\n");

const fish = (all: readonly Described[]): string =>
  all
    .flatMap(({ name, summary, options }) => [
      `complete -c blackout -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...options.map(
        ({ long, what, takesValue }) =>
          `complete -c blackout -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)}${takesValue ? " -r" : ""} -d ${quoted(what.replaceAll("\\", "\\\\"))}`,
      ),
    ])
    .join("\n");

const shells = { bash, zsh, fish } as const;
const shellNames = Object.keys(shells) as readonly (keyof typeof shells)[];

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
  stdoutLine(shells[shell](await described()));
  return exitCode.clean;
}
