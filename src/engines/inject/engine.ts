/** Crash injection as an engine: crash states by number, a range of them to a unit. */
import { assert } from "../../base/index.ts";
import type { EarlyFinding, Finding } from "../../crash/finding/index.ts";
import {
  BaseLines,
  baseReader,
  type CrashSource,
  type FailurePoint,
  type Granularity,
  judgedIn,
  operationAround,
  outcomeOptions,
  versionOf,
} from "../../crash/states/index.ts";
import {
  type Creation,
  type CreationSeverity,
  creationFinding,
  creationOf,
  creationRule,
  Explainer,
  earlyFinding,
  kindOfFailure,
  recoveryRules,
} from "../../exploration/explain/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import {
  byPlace,
  type CrashEngine,
  type LeadScene,
  type PlacedPoints,
  type Plan,
  type PlanLimits,
  type Range,
  RangeQueue,
  Sampling,
  type Scene,
} from "../../session/work/index.ts";
import { type FailureGroup, InjectJudge, type StatesResult } from "./judge.ts";
import { type InjectSource, planStates, StateTable } from "./plan.ts";
import { FailureTally } from "./tally.ts";

export interface InjectOptions {
  readonly granularity: Granularity;
  /** Every dynamic failure point, not one for each place with its calls. */
  readonly allPoints: boolean;
  /** Off: every crash state runs. */
  readonly memo: boolean;
  /** What a crash while the run creates its file counts as; a warning if not given. */
  readonly creation?: CreationSeverity;
  /** What survives a crash; Px86 if not given. */
  readonly platform?: Platform;
}

/** The plan in shared memory, for each thread that judges. */
export interface InjectSetup {
  readonly table: { readonly words: Uint32Array; readonly states: number; readonly leftOut: number };
  readonly bases: Uint32Array;
  readonly operations: Uint32Array;
  readonly memo: boolean;
  readonly platform: Platform;
}

function shared(words: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(words.byteLength));
  copy.set(words);
  return copy;
}

/** A unit ends where its points would need more than so many versions of files; one point always fits. */
const versionsAtOnce = 32;

class InjectPlan implements Plan<InjectSetup, Range, readonly string[], StatesResult> {
  readonly #scene: LeadScene;
  readonly #source: InjectSource;
  readonly #queue: RangeQueue;
  readonly #tally = new FailureTally();
  /** Which point comes next, where not all of them may. */
  readonly #sampling: Sampling | undefined;
  readonly #creation: CreationSeverity;
  #creationMade: { readonly found: Creation | undefined } | undefined;
  /** Explained groups that nobody has heard of, and causes that somebody has. */
  readonly #unsaid: FailureGroup[] = [];
  readonly #said = new Set<string>();
  readonly items: number;
  readonly setup: InjectSetup;

  constructor(scene: LeadScene, source: InjectSource, options: InjectOptions, { maxItems, isTimed }: PlanLimits) {
    const { memo, creation = "warning", platform = "px86" } = options;
    this.#creation = creation;
    this.#scene = scene;
    this.#source = source;
    const { table, bases, operations } = source;
    this.items = Math.min(table.states, maxItems);
    this.#queue = new RangeQueue(this.items);
    this.#sampling = isTimed ? new Sampling(table.points) : undefined;
    this.setup = {
      table: { words: shared(table.words), states: table.states, leftOut: table.leftOut },
      bases: shared(bases.words),
      operations: shared(operations),
      memo,
      platform,
    };
  }

  get done(): number {
    return this.#queue.judged.count;
  }
  get tested(): number {
    return this.#tally.tested;
  }
  get found(): number {
    return this.#tally.causes;
  }

  next(items: number): Range | undefined {
    for (let index = this.#sampling?.next(); index !== undefined; index = this.#sampling?.next()) {
      const { table } = this.#source;
      const range = { from: table.first(index), to: Math.min(table.first(index + 1), this.items) };
      if (range.from < range.to && this.#queue.take(range)) return range;
    }
    return this.#queue.next(items, (range) => ({ from: range.from, to: this.#versions(range).to }));
  }

  sizeOf({ from, to }: Range): number {
    return to - from;
  }

  /** Keys of failures at states before the unit: those need no explanation. */
  hint({ from }: Range): readonly string[] {
    return this.#tally.keysBefore(from);
  }

  versionsOf(range: Range): Iterable<number> {
    return this.#versions(range).versions;
  }

  add(result: StatesResult): void {
    if (!this.#queue.add(result)) return;
    this.#tally.add(result);
    this.#unsaid.push(...result.groups.filter(({ explanation }) => explanation !== undefined));
  }

  /** Each cause once. What fails while the run creates its file is one finding, told at the end. */
  news(): readonly EarlyFinding[] {
    const { table } = this.#source;
    const { resolver } = this.#scene.places;
    return this.#unsaid.splice(0).flatMap((group) => {
      const { cause, ended, stores } = group.explanation!;
      if (this.#said.has(cause)) return [];
      this.#said.add(cause);
      if (this.#created !== undefined && this.#isDuring(this.#created, group)) return [];
      const [point, kind] = [table.point(table.pointOf(group.state)), kindOfFailure(group.explanation!)];
      return [earlyFinding({ kind, ended, point, lost: stores }, (site, stack) => resolver.frames(site, stack))];
    });
  }

  /** The file that the run creates; who looks for it has a machine, which is not made where nothing fails. */
  get #created(): Creation | undefined {
    const { run, subject, judging } = this.#scene;
    const { table } = this.#source;
    const points = { count: table.points, point: (index: number) => table.point(index) };
    const options = outcomeOptions(judging, this.setup.memo);
    const look = () => creationOf(run, this.#source, points, subject.recovery().recovery, options);
    this.#creationMade ??= { found: look() };
    return this.#creationMade.found;
  }

  #isDuring(creation: Creation, { state, explanation }: FailureGroup): boolean {
    assert(explanation !== undefined, "a group's state is explained");
    const { leaked, ended, stores } = explanation;
    if (leaked !== undefined) return false;
    const point = this.#source.table.pointOf(state);
    return creation.has(point, ended.verdict, () => new Set(stores.map(({ seq }) => seq)));
  }

  get extent() {
    const { table } = this.#source;
    const { judged } = this.#queue;
    let points = 0;
    for (let index = 0; index < table.points; index++)
      if (judged.has({ from: table.first(index), to: table.first(index + 1) })) points++;
    const { resolver } = this.#scene.places;
    return {
      points,
      pointsInAll: table.points,
      states: judged.count,
      statesInAll: table.states,
      leftOut: table.leftOut,
      uncovered: (this.#source.uncovered ?? []).map(({ site, stack }) => resolver.frames(site, stack)),
    };
  }

  placedPoints(): readonly PlacedPoints[] {
    const { table } = this.#source;
    const { judged } = this.#queue;
    const failing = this.#tally.failingAt(table);
    const { resolver } = this.#scene.places;
    return byPlace(
      Array.from({ length: table.points }, (_, index) => {
        const range = { from: table.first(index), to: table.first(index + 1) };
        return { point: table.point(index), states: range.to - range.from, judged: judged.within(range) };
      }),
      ({ site, stack }) => resolver.frames(site, stack),
      failing,
    );
  }

  findings(): readonly Finding[] {
    const { groups } = this.#tally;
    // Who explains has a machine, which is not made for nothing.
    if (groups.length === 0) return [];
    const options = outcomeOptions(this.#scene.judging, this.setup.memo);
    const explainer = new Explainer(this.#scene, this.#source, options);
    const findingsOf = (groups: readonly FailureGroup[]) =>
      this.#tally.findings(this.#source.table, groups).map((failure) => explainer.finding(failure));
    const creation = this.#created;
    if (creation === undefined) return explainer.merged(findingsOf(groups));
    const after = this.#groupsAfter(creation, groups);
    const late = [...after.values()].sort((a, b) => a.state - b.state);
    const later = explainer.merged(findingsOf(late));
    if (this.#creation === "ignore") return later;
    // What is an error already is not told a second time.
    const told = new Set(late.map(({ explanation }) => explanation!.cause));
    const isTold = ({ explanation }: FailureGroup) => explanation!.stores.length > 0 && told.has(explanation!.cause);
    const during = findingsOf(groups.filter((group) => !after.has(group.key) && !isTold(group)));
    return [...creationFinding(during, creation, this.#creation), ...later];
  }

  /** What fails after creation, by key. Where a group began during it, its last state is explained in its place. */
  #groupsAfter(creation: Creation, groups: readonly FailureGroup[]): ReadonlyMap<string, FailureGroup> {
    const { table } = this.#source;
    const judge = startJudge(this.setup, this.#scene);
    const isDuring = (group: FailureGroup) => this.#isDuring(creation, group);
    const after = groups.flatMap((group): FailureGroup[] => {
      if (!isDuring(group)) return [group];
      if (group.last === group.state || table.pointOf(group.last) < creation.endPoint) return [];
      const [last] = judge.judge({ from: group.last, to: group.last + 1 }, [], () => false).groups;
      return last === undefined || isDuring(last) ? [] : [{ ...last, key: group.key, count: group.count }];
    });
    return new Map(after.map((group) => [group.key, group]));
  }

  #versions(range: Range): { readonly versions: ReadonlySet<number>; readonly to: number } {
    const { table } = this.#source;
    const first = table.pointOf(range.from);
    const found = new Set<number>();
    for (let index = first; index < table.points && table.first(index) < range.to; index++) {
      if (index > first && found.size >= versionsAtOnce) return { versions: found, to: table.first(index) };
      for (const version of versionsAt(table.point(index), this.#source)) found.add(version);
    }
    return { versions: found, to: range.to };
  }
}

/** The versions of files at a crash, and around the operation that is under way there. */
const versionsAt = (point: FailurePoint, { versions, operations, trace }: CrashSource): readonly number[] => [
  versionOf(versions, point),
  ...operationAround(operations, point.seq, trace.count).map((at) => versions.versionAt(at)),
];

/** A judge with machines of its own. */
function startJudge({ table, bases, operations, memo, platform }: InjectSetup, scene: Scene): InjectJudge {
  const { subject, trace, versions, judging } = scene;
  const source: InjectSource = {
    trace,
    versions,
    table: new StateTable(table.words, table.states, table.leftOut),
    bases: new BaseLines(bases),
    operations,
    platform,
  };
  const options = outcomeOptions(judging, memo);
  return new InjectJudge(source, () => subject.recovery().recovery, options, judgedIn(scene));
}

/** The crash states of a traced run. */
export function injectSource({ run }: Pick<LeadScene, "run">, options: InjectOptions): InjectSource {
  const { granularity, allPoints, platform = "px86" } = options;
  const readLine = baseReader(run.history);
  return planStates(run.trace, { granularity, allPoints, readLine, versions: run.history, platform });
}

export const injectEngine = (
  options: InjectOptions = { granularity: "flush", allPoints: false, memo: true },
): CrashEngine<InjectSetup, Range, readonly string[], StatesResult> => ({
  name: "inject",
  silence: "evidence",
  rules: [...Object.values(recoveryRules), creationRule(options.creation ?? "warning")],
  identity: `${options.granularity} ${options.allPoints} ${options.platform ?? "px86"}`,
  plan: (scene, limits) => new InjectPlan(scene, injectSource(scene, options), options, limits),
  start: startJudge,
});
