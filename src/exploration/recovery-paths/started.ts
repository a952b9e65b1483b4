/** The beginning of an exploration: the trace's points, and the undisturbed recovery as the tree's first way. */

import {
  type Asked,
  OtherAnswers,
  type PlannedPoints,
  PointRunner,
  planPoints,
  TreeWalker,
  type WalkerHooks,
} from "../../crash/recovery-tree/index.ts";
import type { RecoveryEnd } from "../../crash/states/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { Subject, TracedRun } from "../../session/subject/index.ts";
import { annotatedFolds, findFolds } from "./found-folds.ts";
import { SharedRun, type SharedWays } from "./shared-ways.ts";

/** As long as a recovery may take beside the undisturbed one, before anybody said so. */
const limitFactor = 20;
const leastLimit = 2_000_000;

export const limitAfter = ({ instructions }: RecoveryEnd): number => Math.max(leastLimit, limitFactor * instructions);

export interface Estimate {
  readonly points: number;
  readonly states: bigint;
  readonly contents: number;
  readonly mostOpen: number;
  readonly seconds: number;
}

/** Recoveries that are timed: the first of them translate code. */
const timedRuns = 8;

export class Started {
  readonly planned: PlannedPoints;
  readonly #run: TracedRun;
  readonly others: OtherAnswers;
  #undisturbed: { readonly asked: Asked; readonly ended: RecoveryEnd } | undefined;

  /** Functions that take checksums. */
  checksums: readonly string[];

  /** What is known from other runs, where several are looked at. */
  readonly shared: SharedRun | undefined;

  constructor(run: TracedRun, platform: Platform, checksums: readonly string[], ways?: SharedWays) {
    this.#run = run;
    this.checksums = checksums;
    this.planned = planPoints(run.trace, run.history, platform);
    this.others = new OtherAnswers(this.planned.points, run.history);
    this.shared = ways && new SharedRun(ways, this.planned.points, this.others);
  }

  /** Recovery after the program's end with every store kept; undefined for a program that stores nothing. */
  undisturbed(subject: Subject, maxInstructions: number): RecoveryEnd | undefined {
    const { points } = this.planned;
    if (points.count === 0) return undefined;
    const { recovery, machine } = subject.recovery();
    this.checksums = [...new Set([...this.checksums, ...annotatedFolds(machine)])];
    const isShared = this.shared !== undefined;
    const runner = new PointRunner(points, this.#run.history, recovery, maxInstructions, this.checksums, isShared);
    const { asked, ended } = runner.run(points.count - 1, []);
    this.#undisturbed = { asked: { questions: asked.questions.slice(), texts: asked.texts }, ended };
    return ended;
  }

  /** Looks for functions that take checksums and were not named; true when there are some. */
  findChecksums(subject: Subject, maxInstructions: number): boolean {
    const found = findFolds(this.planned, this.#run, subject, maxInstructions, this.checksums);
    this.checksums = [...new Set([...this.checksums, ...found])];
    return found.length > 0;
  }

  /** Both those that the recovery's author names and those that do nothing else; where one line is open at a time there is no need. */
  learnChecksums(subject: Subject, maxInstructions: number): void {
    if (this.planned.mostOpen < 2) return;
    this.checksums = [...new Set([...this.checksums, ...annotatedFolds(subject.recovery().machine)])];
    this.findChecksums(subject, maxInstructions);
  }

  estimate(subject: Subject, clock: () => number): Estimate {
    const { points, states, mostOpen } = this.planned;
    const contents = points.tables.cuts.length / 2;
    if (points.count === 0) return { points: 0, states, contents, mostOpen, seconds: 0 };
    const runner = new PointRunner(points, this.#run.history, subject.recovery().recovery, Number.MAX_SAFE_INTEGER);
    const times = Array.from({ length: timedRuns }, () => {
      const began = clock();
      runner.run(points.count - 1, []);
      return clock() - began;
    });
    return { points: points.count, states, contents, mostOpen, seconds: Math.min(...times) };
  }

  /** One that knows the undisturbed recovery. */
  walker(hooks: WalkerHooks): TreeWalker {
    const { points } = this.planned;
    const walker = new TreeWalker(points, this.others, hooks);
    if (this.#undisturbed === undefined) return walker;
    const { asked, ended } = this.#undisturbed;
    const point = points.count - 1;
    walker.told({ point, held: [], ...walker.find(point, []) }, asked, ended);
    return walker;
  }
}

/** The beginning of each run's exploration, made once for as long as the same run is asked for. */
export function startedRuns(
  platform: Platform,
  checksums: readonly string[],
  ways?: SharedWays,
): (run: TracedRun) => Started {
  let latest: { readonly run: TracedRun; readonly started: Started } | undefined;
  return (run) => {
    if (latest?.run !== run) latest = { run, started: new Started(run, platform, checksums, ways) };
    return latest.started;
  };
}
