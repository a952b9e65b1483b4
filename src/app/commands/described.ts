/** The commands with their options, as shells complete them and the manual lists them: made of the commands' own tables. */
import type { Command, Option } from "commander";
import { commands } from "./commands.ts";
import { optionChoices } from "./options.ts";

export interface DescribedOption {
  readonly long: string;
  /** With its short form and what it takes: `-j, --jobs <n>`. */
  readonly flags: string;
  readonly what: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export interface Described {
  readonly name: string;
  readonly summary: string;
  /** Undefined where the command reads its words itself. */
  readonly line?: Command;
  readonly options: readonly DescribedOption[];
  /** What may stand behind it, where that is not a file. */
  readonly words: readonly string[];
}

function describedOption(option: Option): readonly DescribedOption[] {
  const { long, flags, description: what, required: takesValue } = option;
  return long === undefined ? [] : [{ long, flags, what, takesValue, choices: optionChoices(option) ?? [] }];
}

export async function describedCommands(): Promise<readonly Described[]> {
  const all = Object.entries(commands).map(async ([name, { summary, line: makeLine, words }]): Promise<Described> => {
    const line = await makeLine?.();
    return {
      name,
      summary,
      ...(line !== undefined && { line }),
      options: (line?.options ?? []).flatMap(describedOption),
      words: (await words?.()) ?? [],
    };
  });
  const names = Object.keys(commands);
  return [
    ...(await Promise.all(all)),
    { name: "help", summary: "show a command's options", options: [], words: names },
  ];
}
