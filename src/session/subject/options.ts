/** What is looked at, as plain data: the same fields make a machine, a worker's subject and a witness. */
import { InputError } from "../../base/index.ts";
import { choiceText, isScheduleChoice, parseChoices, type WitnessSubject } from "../../crash/states/index.ts";
import type { Patch, RemovedOp, ScheduleChoice, ScheduleOptions } from "../../machine/index.ts";

/** A program and what it runs in. */
export interface ProgramOptions
  extends Pick<
    WitnessSubject,
    "directory" | "root" | "readable" | "env" | "seed" | "cpu" | "limits" | "jit" | "pmHeap"
  > {
  /** Directories below which the program's writes reach the host. */
  readonly grants?: readonly string[];
  /** The words of its commands and its variables have a character for each byte; else they are text. */
  readonly byteWords?: boolean;
  /** Whether the machine measures where its time goes. */
  readonly measured?: boolean;
}

/** A program with its set-up and its recovery. */
export interface SubjectOptions extends ProgramOptions, WitnessSubject {
  /** Flushes and fences that the program lacks, in its traced runs (docs/adr/0019-virtual-patches.md). */
  readonly patches?: readonly Patch[];
  /** Flushes and fences that it would not need, left out of its traced runs. */
  readonly removed?: readonly RemovedOp[];
  /** How threads take turns in its traced runs, and when their stores become visible (docs/adr/0038-schedules.md). */
  readonly schedule?: ScheduleOptions;
  /** Its traced runs note what threads read of each other. */
  readonly meetings?: boolean;
  /** Its machines note what code of the user's runs. */
  readonly notesCode?: boolean;
}

/** A schedule as a user gives it: the number of one by chance, or choices, of which those about threads count. */
export function readSchedule(text: string): ScheduleOptions {
  if (/^\d{1,9}$/.test(text.trim())) return { seed: Number(text) };
  const choices = parseChoices(text).filter(isScheduleChoice);
  if (choices.length === 0)
    throw new InputError("schedule/empty", "A schedule is a number, or choices with turn: and drain: among them.", {
      text,
    });
  return { choices };
}

/** One line that `readSchedule` takes back. */
export const scheduleText = (choices: readonly ScheduleChoice[]): string => choiceText(choices);

/** No shell reads a command: what one would take for the end of a word is told, not passed on as an argument. */
const shellOperator = /[;|&<>`]|\$\(/;

/** Words as a shell would part them: quotes keep blanks, nothing is expanded. */
export function splitCommand(text: string): readonly string[] {
  const bare = text.replace(/'[^']*'|"[^"]*"/g, "");
  const operator = shellOperator.exec(bare)?.[0];
  if (operator !== undefined)
    throw new InputError(
      "check/command",
      `The command has ${operator} outside quotes, and no shell reads it: put it into quotes, or a shell with all it is to run into a command: sh -c '...'.`,
    );
  if (/['"]/.test(bare)) throw new InputError("check/command", "The command has a quote that is never closed.");
  const words = [...text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"),
  );
  if (words.length === 0) throw new InputError("check/command", "A command needs a program's name.", { text });
  return words;
}
