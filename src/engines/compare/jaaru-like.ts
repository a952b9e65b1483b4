/**
 * Exploration as Jaaru does it: each failure point by itself, and at each load one execution for each store that it may see.
 * There is no tree: what is left to run at a point is a list of what lines may still hold.
 */

import type { Finding } from "../../crash/finding/index.ts";
import {
  type Held,
  type PlannedPoints,
  PointRunner,
  type PointTables,
  PointView,
  planPoints,
  StoresByLine,
  type StoreTable,
  TracePoints,
  wordsPerLine,
} from "../../crash/recovery-tree/index.ts";
import type { FileVersions, RecoveryEnd, RecoveryMachine } from "../../crash/states/index.ts";
import { type CreationSeverity, creationRule, recoveryRules } from "../../exploration/explain/index.ts";
import { FailedEnds } from "../../exploration/recovery-paths/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import {
  type CrashEngine,
  type Judge,
  type LeadScene,
  type Plan,
  type Range,
  RangeQueue,
  type Scene,
  type UnitResult,
} from "../../session/work/index.ts";
import { StoreClasses } from "./store-classes.ts";

/** By line, the contents that are still possible. */
type Left = ReadonlyMap<number, readonly number[]>;

/** One execution of recovery. */
export interface JaaruExecution {
  readonly point: number;
  readonly held: readonly Held[];
  readonly ended: RecoveryEnd;
}

export class JaaruSearch {
  readonly #runner: PointRunner;
  readonly #view: PointView;
  readonly #classes: StoreClasses;

  constructor(
    points: TracePoints,
    stores: StoresByLine,
    versions: FileVersions,
    recovery: RecoveryMachine,
    maxInstructions: number,
  ) {
    this.#runner = new PointRunner(points, versions, recovery, maxInstructions);
    this.#view = new PointView(points);
    this.#classes = new StoreClasses(points, stores);
  }

  *at(point: number): Iterable<JaaruExecution> {
    this.#view.moveTo(point);
    const left: Left[] = [new Map()];
    for (let possible = left.pop(); possible !== undefined; possible = left.pop())
      yield this.#execute(point, possible, left);
  }

  /** One execution; what else its loads could have seen is left to run. */
  #execute(point: number, possible: Left, left: Left[]): JaaruExecution {
    const held: Held[] = [...possible].flatMap(([line, contents]) => {
      const last = contents.at(-1)!;
      return last === this.#view.high[line] ? [] : [[line, last] as const];
    });
    const { asked, ended } = this.#runner.run(point, held);
    let now: Left = possible;
    for (const question of asked.questions) {
      if (question < 0) continue;
      const [line, word] = [question >>> 4, question & (wordsPerLine - 1)];
      const contents = now.get(line) ?? this.#all(line);
      if (contents.length === 1) continue;
      const [seen, ...others] = this.#byStore(line, contents, 1 << word);
      for (const other of others) left.push(new Map(now).set(line, other));
      now = new Map(now).set(line, seen!);
    }
    return { point, held, ended };
  }

  #all(line: number): readonly number[] {
    const [low, high] = [this.#view.low[line]!, this.#view.high[line]!];
    return Array.from({ length: high - low + 1 }, (_, i) => low + i);
  }

  /** Contents that agree in the store behind these bytes; those of the last content come first. */
  #byStore(line: number, contents: readonly number[], words: number): readonly (readonly number[])[] {
    const groups = new Map<string, number[]>();
    for (const content of contents.toReversed()) {
      const key = this.#classes.class(line, content, words);
      groups.set(key, [content, ...(groups.get(key) ?? [])]);
    }
    return [...groups.values()];
  }
}

interface JaaruSetup {
  readonly tables: PointTables;
  readonly stores: StoreTable;
}

interface JaaruResult extends UnitResult<Range> {
  readonly executions: readonly JaaruExecution[];
}

class JaaruJudge implements Judge<Range, undefined, JaaruResult> {
  readonly #search: JaaruSearch;

  constructor({ tables, stores }: JaaruSetup, { subject, versions, judging }: Scene) {
    const { recovery } = subject.recovery();
    this.#search = new JaaruSearch(
      new TracePoints(tables),
      new StoresByLine(stores),
      versions,
      recovery,
      judging.hangLimit,
    );
  }

  judge({ from, to }: Range, _hint: undefined, stopped: () => boolean): JaaruResult {
    const executions: JaaruExecution[] = [];
    let point = from;
    for (; point < to && !stopped(); point++) executions.push(...this.#search.at(point));
    const rest = point < to ? { rest: { from: point, to } } : {};
    return { unit: { from, to: point }, ...rest, executions, tested: executions.length };
  }
}

export class JaaruPlan implements Plan<JaaruSetup, Range, undefined, JaaruResult> {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #queue: RangeQueue;
  readonly #failed: FailedEnds;
  readonly #view: PointView;
  readonly items: number;
  readonly setup: JaaruSetup;
  readonly ends: RecoveryEnd[] = [];
  tested = 0;

  constructor(scene: LeadScene, platform: Platform, creation: CreationSeverity) {
    this.#scene = scene;
    this.#planned = planPoints(scene.run.trace, scene.run.history, platform);
    const { points, stores } = this.#planned;
    this.items = points.count;
    this.#queue = new RangeQueue(points.count);
    this.#failed = new FailedEnds(scene, this.#planned, creation);
    this.#view = new PointView(points);
    this.setup = { tables: points.tables, stores: stores.table };
  }

  get done(): number {
    return this.#queue.judged.count;
  }
  get found(): number {
    return this.#failed.count;
  }
  next(items: number): Range | undefined {
    return this.#queue.next(items);
  }
  sizeOf({ from, to }: Range): number {
    return to - from;
  }
  hint(): undefined {
    return undefined;
  }
  versionsOf({ from, to }: Range): Iterable<number> {
    const numbers = Array.from({ length: to - from }, (_, i) => from + i);
    return new Set(numbers.map((point) => this.#planned.points.version(point, this.#scene.versions)));
  }
  add(result: JaaruResult): void {
    if (!this.#queue.add(result)) return;
    this.tested += result.tested;
    for (const { point, held, ended } of result.executions) {
      this.ends.push(ended);
      this.#view.moveTo(point);
      this.#failed.add(ended, point, () => held, this.#view);
    }
  }
  get extent() {
    const { done, items } = this;
    return { points: done, pointsInAll: items, states: this.tested, statesInAll: this.tested };
  }
  findings(): readonly Finding[] {
    return this.#failed.findings();
  }
}

export const jaaruEngine = (
  platform: Platform = "px86",
  creation: CreationSeverity = "warning",
): CrashEngine<JaaruSetup, Range, undefined, JaaruResult> => ({
  name: "jaaru-like",
  silence: "proof",
  rules: [...Object.values(recoveryRules), creationRule(creation)],
  identity: platform,
  plan: (scene) => new JaaruPlan(scene, platform, creation),
  start: (setup, scene) => new JaaruJudge(setup, scene),
});
