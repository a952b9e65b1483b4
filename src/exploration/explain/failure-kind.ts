/** How a recovery fails, as rules tell it. */
import type { Explanation } from "./culprits.ts";
import type { recoveryRules } from "./rules.ts";

export type FailureKind = keyof typeof recoveryRules;

export function kindOfFailure({
  ended,
  printed,
  leaked,
}: Pick<Explanation, "ended" | "printed" | "leaked">): FailureKind {
  if (leaked !== undefined) return "leak";
  if (printed === undefined) return ended.verdict.kind;
  return printed.fewest === undefined ? "output" : "lines";
}
