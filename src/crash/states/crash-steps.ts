/** The crashes that a list of choices names, one after another: the program's own, then those inside recoveries. */
import { assert } from "../../base/index.ts";
import type { Choice, CutChoice } from "./choice.ts";
import type { PointId } from "./points.ts";

/** One power cut, and what it leaves of the lines that do not keep every store. */
export interface CrashStep {
  readonly before: number;
  readonly version?: number;
  readonly cuts: readonly CutChoice[];
}

/** A point as choices and witnesses name it, and back. */
export const cutBefore = ({ seq, version }: PointId): Pick<CrashStep, "before" | "version"> => ({
  before: seq,
  ...(version !== undefined && { version }),
});
export const pointOf = ({ before, version }: Pick<CrashStep, "before" | "version">): PointId => ({
  seq: before,
  ...(version !== undefined && { version }),
});

/** Cuts belong to the crash that stands before them. */
export function crashSteps(choices: readonly Choice[]): readonly CrashStep[] {
  const steps: (Omit<CrashStep, "cuts"> & { readonly cuts: CutChoice[] })[] = [];
  for (const choice of choices)
    if (choice.kind === "crash" || choice.kind === "again") {
      steps.push({ ...cutBefore(pointOf(choice)), cuts: [] });
    } else if (choice.kind === "cut") steps.at(-1)?.cuts.push(choice);
  return steps;
}

export const stepChoices = (steps: readonly CrashStep[]): readonly Choice[] =>
  steps.flatMap(({ cuts, ...crash }, at) => [
    { kind: at === 0 ? ("crash" as const) : ("again" as const), ...crash },
    ...cuts,
  ]);

/** The program's own. */
export function crashOf(choices: readonly Choice[]): CrashStep {
  const [first] = crashSteps(choices);
  assert(first !== undefined, "a witness of a crash has one");
  return first;
}
