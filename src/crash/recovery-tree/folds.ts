/** Which ways are gone where the contents that are left of a line answer a question in several ways. */
import type { AnswerNumber } from "./tree.ts";

/**
 * Where a checksum is taken over lines that may hold several contents, not all combinations are gone: whole: each line has the
 * most that it can; one: one line has less, all others the most; old: all lines have the least; none: no such line was read
 * yet. That a checksum tells every other combination from these is what its user assumes.
 */
export type Folds = "none" | "whole" | "one" | "old";

interface ChosenWay {
  readonly answer: AnswerNumber;
  readonly contents: readonly number[];
  readonly folds: Folds;
}

/** Each answer is a way. That of the most that the line can have is gone first, then the others, last first. */
export function plainWays(groups: ReadonlyMap<AnswerNumber, readonly number[]>, folds: Folds): readonly ChosenWay[] {
  const ways = [...groups].map(([answer, contents]): ChosenWay => ({ answer, contents, folds })).reverse();
  const most = mostOf(ways);
  return [most, ...ways.filter((way) => way !== most)];
}

const mostOf = <Way extends Pick<ChosenWay, "contents">>(ways: readonly Way[]): Way =>
  ways.reduce((best, each) => (each.contents.at(-1)! > best.contents.at(-1)! ? each : best));

/** Of a folded question: the most that the line can have, and while no line had less, each other answer. */
export function foldedWays(groups: ReadonlyMap<AnswerNumber, readonly number[]>, folds: Folds): readonly ChosenWay[] {
  const all = [...groups].map(([answer, contents]) => ({ answer, contents }));
  const least = all[0]!;
  const most = mostOf(all);
  if (folds === "old") return [{ ...least, folds }];
  if (folds === "one") return [{ ...most, folds }];
  const others = all.filter((each) => each !== most);
  return [
    { ...most, folds: "whole" },
    ...others.map((each): ChosenWay => ({ ...each, folds: "one" })),
    ...(folds === "none" && least !== most ? [{ ...least, folds: "old" as const }] : []),
  ];
}
