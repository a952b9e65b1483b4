/**
 * Every crash state of a trace by a number (Yat): at each failure point, any cut for each line, in all combinations. Always:
 * nothing is left out, and nothing is known of what recovery reads. It is slow on purpose: exploration is held against it.
 */
import { InputError } from "../../base/index.ts";
import {
  BaseLines,
  baseReader,
  type CrashSource,
  type CrashStep,
  CrashWalk,
  type CutLine,
  choiceOf,
  cutBefore,
  type FailurePoint,
  type Moment,
  operationAround,
  type SourceBefore,
  sourceWith,
  type TracedFiles,
  versionOf,
} from "../../crash/states/index.ts";
import { type LineCut, lineCuts, type Platform, prefixCuts, type TrackedLine } from "../../model/pmem/index.ts";
import { replay, type Trace } from "../../trace/events/index.ts";

/** More would not end. */
const mostStates = 10_000_000n;

export interface CountedPoint {
  readonly point: FailurePoint;
  /** The number of its first state, and of states that it has. */
  readonly first: number;
  readonly count: number;
}

const cutsOf = (line: TrackedLine): readonly LineCut[] => [...lineCuts(line)];

export interface EnumeratedStates {
  readonly points: readonly CountedPoint[];
  readonly states: number;
}

/** `option`: what asked for all of them. */
export function countStates(
  trace: Trace,
  history: TracedFiles,
  platform: Platform,
  before: SourceBefore = {},
  option = "--enumerate",
) {
  const bases = new BaseLines();
  const points: CountedPoint[] = [];
  let states = 0n;
  const walk = new CrashWalk(trace.tables, {
    granularity: "bound",
    allPoints: true,
    platform,
    readBase: bases.recording(baseReader(history)),
    versionStarts: history.starts,
    acknowledged: before.acknowledged,
    visit: (point, { lines }) => {
      const free = () => lines.open.reduce((product, line) => product * BigInt(cutsOf(line).length), 1n);
      const count = lines.isOrdered ? BigInt(lines.inOrder.length + 1) : free();
      points.push({ point, first: Number(states), count: Number(count) });
      states += count;
    },
  });
  replay(trace, walk);
  if (states > mostStates)
    throw new InputError(
      "explore/states",
      `There are ${states} crash states: too many to run recovery on each. Leave ${option} out.`,
      { states: `${states}` },
    );
  const source: CrashSource = sourceWith(bases, trace, history, platform, before);
  return { source, enumerated: { points, states: Number(states) } };
}

/** The point that a state is of. */
export function pointOf({ points }: EnumeratedStates, state: number): CountedPoint {
  let [low, high] = [0, points.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (points[middle]!.first <= state) low = middle;
    else high = middle - 1;
  }
  return points[low]!;
}

/**
 * The state's cuts, by its number among those of its point: one digit for each open line, or where stores persist in their order, how
 * many are kept.
 */
export function stateAt({ lines }: Moment, number: number): readonly CutLine[] {
  if (lines.isOrdered) return prefixCuts(lines, number);
  let rest = number;
  return lines.open.map((line) => {
    const cuts = cutsOf(line);
    const cut = cuts[rest % cuts.length]!;
    rest = Math.floor(rest / cuts.length);
    return { line, cut };
  });
}

export const stepOf = (point: FailurePoint, moment: Moment, cuts: readonly CutLine[]): CrashStep => ({
  ...cutBefore(point),
  cuts: cuts.map((cut) => choiceOf(cut, moment)),
});

/** Versions of files that are needed to judge states of these numbers: those of their points, and of clean stops around them. */
export function versionsOfStates(
  { points }: EnumeratedStates,
  { versions, operations, trace }: CrashSource,
  { from, to }: { readonly from: number; readonly to: number },
): ReadonlySet<number> {
  const among = points.filter(({ first, count }) => first < to && first + count > from);
  return new Set(
    among.flatMap(({ point }) => [
      versionOf(versions, point),
      ...operationAround(operations, point.seq, trace.count).map((at) => versions.versionAt(at)),
    ]),
  );
}
