/** Recoveries to be run, and what they told, as plain data: units of work that go to other threads and into journals. */
import type { RecoveryEnd } from "../crash/index.ts";
import type { Held } from "../tree/index.ts";
import type { UnitResult } from "../work/index.ts";

/** Recovery on one crash state. What it asks first, up to `depth` questions, is known already. */
export interface RunOrder {
  readonly point: number;
  readonly held: readonly Held[];
  readonly depth: number;
}

export interface RunUnit {
  readonly runs: readonly RunOrder[];
}

export interface ToldRun {
  /** The questions behind the known ones, as stretches of neighbours: how far the first is from the last one, how many. */
  readonly asked: readonly number[];
  readonly texts: readonly string[];
  readonly ended: RecoveryEnd;
}

/** Of each run of the unit, in its order. */
export interface RunsResult extends UnitResult<RunUnit> {
  readonly told: readonly ToldRun[];
}

/** Most questions are about the four bytes behind those of the one before. */
export function packQuestions(questions: ArrayLike<number>): number[] {
  const packed: number[] = [];
  let last = 0;
  for (let at = 0; at < questions.length; ) {
    const first = questions[at]!;
    let end = at + 1;
    while (end < questions.length && first >= 0 && questions[end] === first + end - at) end++;
    packed.push(first - last, end - at);
    last = questions[end - 1]!;
    at = end;
  }
  return packed;
}

export function unpackQuestions(packed: readonly number[]): Int32Array {
  let count = 0;
  for (let at = 1; at < packed.length; at += 2) count += packed[at]!;
  const questions = new Int32Array(count);
  let last = 0;
  for (let at = 0, next = 0; at < packed.length; at += 2) {
    last += packed[at]!;
    for (let i = 0; i < packed[at + 1]!; i++) questions[next++] = last + i;
    last = questions[next - 1]!;
  }
  return questions;
}
