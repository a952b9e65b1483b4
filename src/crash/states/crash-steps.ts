/** The crashes that a list of choices names, one after another: the program's own, then those inside recoveries. */
import { assert } from "../../base/index.ts";
import type { Choice, CutChoice } from "./choice.ts";

/** One power cut, and what it leaves of the lines that do not keep every store. */
export interface CrashStep {
  readonly before: number;
  readonly version?: number;
  readonly cuts: readonly CutChoice[];
}

/** Cuts belong to the crash that stands before them. */
export function crashSteps(choices: readonly Choice[]): readonly CrashStep[] {
  const steps: (Omit<CrashStep, "cuts"> & { readonly cuts: CutChoice[] })[] = [];
  for (const choice of choices)
    if (choice.kind === "crash" || choice.kind === "again") {
      const { before, version } = choice;
      steps.push({ before, ...(version !== undefined && { version }), cuts: [] });
    } else if (choice.kind === "cut") steps.at(-1)?.cuts.push(choice);
  return steps;
}

export const stepChoices = (steps: readonly CrashStep[]): readonly Choice[] =>
  steps.flatMap(({ before, version, cuts }, at) => [
    { kind: at === 0 ? ("crash" as const) : ("again" as const), before, ...(version !== undefined && { version }) },
    ...cuts,
  ]);

/** The program's own. */
export function crashOf(choices: readonly Choice[]): CrashStep {
  const [first] = crashSteps(choices);
  assert(first !== undefined, "a witness of a crash has one");
  return first;
}
