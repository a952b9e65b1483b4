/** What command lines share: parsers for option values; each says what it wanted when it does not get it. */
import { Command, type Option } from "commander";
import { InputError } from "../../base/index.ts";
import { stderrLine, stdoutLine } from "../../host/index.ts";
import { helpStyle, moreWords } from "./help.ts";

/** No option that takes something means anything with nothing: a path of no letters would be the working directory. */
export function demandValue(option: Option, value: unknown): void {
  const given = Array.isArray(value) ? value : [value];
  if (given.includes(""))
    throw new InputError("cli/empty", `${option.long} needs ${option.flags.split(" ").at(-1)}, and got nothing.`);
}

class OwnCommand extends Command {
  #isBrief = false;

  constructor(name: string) {
    super(name);
    this.configureHelp(helpStyle(() => this.#isBrief));
    this.addHelpText("after", () => (this.#isBrief ? moreWords(this) : ""));
  }

  override parse(...given: Parameters<Command["parse"]>): this {
    const [words = []] = given;
    const end = words.indexOf("--");
    const own = end < 0 ? words : words.slice(0, end);
    this.#isBrief = own.includes("-h") && !own.includes("--help");
    super.parse(...given);
    for (const option of this.options) demandValue(option, this.getOptionValue(option.attributeName()));
    return this;
  }
}

/** A command whose complaints begin as all of ours do, and which throws instead of ending the process. */
export const ownCommand = (name: string): Command =>
  new OwnCommand(name).exitOverride().configureOutput({
    writeOut: (text) => void stdoutLine(text.trimEnd()),
    writeErr: (text) => void stderrLine(text.trimEnd()),
    outputError: (text, write) => write(text.replace(/^error: /, "blackout: ")),
  });

/** Two examples below a command's help. */
export const withExamples = (
  command: Command,
  ...examples: readonly (readonly [line: string, what: string])[]
): Command =>
  command.addHelpText("after", `\nExamples:\n${examples.map(([line, what]) => `  ${line}\n      ${what}`).join("\n")}`);

const suffixes: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** Options, witnesses and JSON hold numbers that are exact. */
const mostOfAll = Number.MAX_SAFE_INTEGER;

/** A whole number within bounds, with an optional suffix: 500, 20k, 3M, 2Gi. */
export const wholeNumber =
  (option: string, { least = 0, most = mostOfAll }: { readonly least?: number; readonly most?: number } = {}) =>
  (text: string): number => {
    const match = /^(\d+)(k|M|G|Ki|Mi|Gi)?$/.exec(text);
    if (!match)
      throw new InputError("cli/number", `${option} takes a whole number such as 500, 20k or 3M, not "${text}".`, {
        option,
        text,
      });
    const number = Number(match[1]) * suffixes[match[2] ?? ""]!;
    const bound = number < least ? `from ${least} on` : `up to ${most}`;
    if (number < least || number > most)
      throw new InputError("cli/number", `${option} takes a number ${bound}, not ${text}.`, { option, text });
    return number;
  };

export const atLeastOne = (option: string) => wholeNumber(option, { least: 1 });

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds, minutes or hours, as seconds: 90s, 10m, 2h. */
export const duration =
  (option: string) =>
  (text: string): number => {
    const match = /^(\d+)([smh])$/.exec(text);
    if (!match)
      throw new InputError("cli/duration", `${option} takes a time such as 90s, 10m or 2h, not "${text}".`, {
        option,
        text,
      });
    return Math.min(Number(match[1]) * unitSeconds[match[2]!]!, mostOfAll);
  };

export const collect = (text: string, earlier: readonly string[]): readonly string[] => [...earlier, text];

/** As `collect`, for an option that is left out when it is not given. */
export const collectSome = (text: string, earlier: readonly string[] = []): readonly string[] => [...earlier, text];

/** What an option takes that takes one of a few words; shells complete them. */
const choicesOf = new WeakMap<object, readonly string[]>();

export function oneOf<Choice extends string>(flag: string, choices: readonly Choice[]): (text: string) => Choice {
  const parse = (text: string): Choice => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined)
      throw new InputError("cli/choice", `${flag} is one of ${choices.join(", ")}, not ${text}.`, { flag, text });
    return found;
  };
  choicesOf.set(parse, choices);
  return parse;
}

/** As `oneOf`, for an option that is given once for each. */
export function someOf(flag: string, choices: readonly string[]) {
  const parse = oneOf(flag, choices);
  const collectOne = (text: string, earlier: readonly string[]): readonly string[] => [...earlier, parse(text)];
  choicesOf.set(collectOne, choices);
  return collectOne;
}

/** The words that an option takes, where they are known. */
export const optionChoices = ({ argChoices, parseArg }: Option): readonly string[] | undefined =>
  argChoices ?? (parseArg && choicesOf.get(parseArg));
