/**
 * Random executions, for programs with too many ways: each is recovery on a crash state by chance, at a failure point by chance, and
 * is judged read by read. Always: which ones there are follows from the seed, whoever runs them and in whatever order.
 */
import { below, type RandomState, seedRandom } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { type Held, type PlannedPoints, PointView } from "../../crash/recovery-tree/index.ts";
import {
  happensBeforeIn,
  ignoredStores,
  type KnownPair,
  KnownRecoveries,
  OrderPairs,
  ReadOrder,
} from "../../exploration/persist-order/index.ts";
import {
  type RunsResult,
  type RunUnit,
  type Started,
  type ToldRun,
  unpackQuestions,
  type WaysSetup,
} from "../../exploration/recovery-paths/index.ts";
import type { Extent, LeadScene, Plan, PlanLimit } from "../../session/work/index.ts";
import { findingsOf } from "./findings.ts";

type Order = RunUnit["runs"][number];

/** One in so many states is of lines that have nothing to do with each other. */
const mixedOneIn = 4;

/** Crash states by chance: mostly such as stores in their order leave, so that recovery goes far before a read violates. */
class RandomStates {
  readonly #planned: PlannedPoints;
  readonly #view: PointView;
  readonly #random: RandomState;

  constructor(planned: PlannedPoints, seed: number) {
    this.#planned = planned;
    this.#view = new PointView(planned.points);
    this.#random = seedRandom(seed);
  }

  next(): Order {
    const { points } = this.#planned;
    const point = below(this.#random, points.count);
    this.#view.moveTo(point);
    const { low, high } = this.#view;
    const isMixed = below(this.#random, mixedOneIn) === 0;
    const until = below(this.#random, points.point(point).seq + 1);
    const held: Held[] = [];
    for (let line = 0; line < points.lines; line++) {
      if (low[line] === high[line]) continue;
      const content = isMixed
        ? low[line]! + below(this.#random, high[line]! - low[line]! + 1)
        : this.#before(line, until, low[line]!, high[line]!);
      if (content !== high[line]) held.push([line, content]);
    }
    return { point, held, depth: 0 };
  }

  /** The most that the line has of stores before an event. */
  #before(line: number, until: number, low: number, high: number): number {
    const { cuts } = this.#planned.points.tables;
    const { stores } = this.#planned;
    for (let content = high; content > low; content--) {
      const kept = cuts[2 * content]!;
      if (cuts[2 * content + 1] === 0 && (kept === 0 || stores.seq(line, kept - 1)! < until)) return content;
    }
    return low;
  }
}

export interface ChanceOptions {
  readonly executions: number;
  readonly seed: number;
  /** Fields and ranges that do not count. */
  readonly ignore: readonly string[];
  readonly stopAtFirst?: boolean;
  /** Recoveries that are kept at most, so that none of them is judged again. */
  readonly kept?: number;
}

const keyOf = ({ point, held }: Order): string => `${point} ${held.join(" ")}`;

/** A pair that a recovery shows, and which of its questions could. */
interface Sighting {
  readonly at: number;
  readonly pair: KnownPair;
}

export class RandomPlan implements Plan<WaysSetup, RunUnit, undefined, RunsResult> {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #states: RandomStates;
  readonly #order: ReadOrder;
  /** From a journal, by state: how many were judged before they were asked for. */
  readonly #before = new Map<string, number>();
  readonly #returned: Order[] = [];
  readonly #known: KnownRecoveries<readonly Sighting[]>;
  readonly pairs = new OrderPairs();
  readonly items: number;
  readonly setup: WaysSetup;
  #drawn = 0;
  tested = 0;
  violating = 0;

  readonly #stopAtFirst: boolean;

  constructor(scene: LeadScene, { planned, checksums }: Started, options: ChanceOptions) {
    const { executions, seed, ignore, stopAtFirst = false, kept = 100_000 } = options;
    this.#known = new KnownRecoveries(kept);
    this.#stopAtFirst = stopAtFirst;
    this.#scene = scene;
    this.#planned = planned;
    this.items = planned.points.count === 0 ? 0 : executions;
    this.#states = new RandomStates(planned, seed);
    this.#order = new ReadOrder(planned, happensBeforeIn(scene.run), ignoredStores(scene, planned, ignore));
    this.setup = { tables: planned.points.tables, checksums, isShared: false };
  }

  get done(): number {
    return this.tested;
  }
  get found(): number {
    return this.pairs.count;
  }
  get extent(): Extent {
    return { points: 0, pointsInAll: this.#planned.points.count, states: this.tested, statesInAll: this.items };
  }

  get limit(): PlanLimit | undefined {
    return this.#stopAtFirst && this.pairs.hasError && this.tested < this.items ? "first" : undefined;
  }

  next(most: number): RunUnit | undefined {
    if (this.limit !== undefined) return undefined;
    const runs = this.#returned.splice(0, most);
    while (runs.length < most && this.#drawn < this.items) {
      this.#drawn++;
      const order = this.#states.next();
      const before = this.#before.get(keyOf(order)) ?? 0;
      if (before > 0) this.#before.set(keyOf(order), before - 1);
      else runs.push(order);
    }
    return runs.length === 0 ? undefined : { runs };
  }

  sizeOf({ runs }: RunUnit): number {
    return runs.length;
  }

  hint(): undefined {
    return undefined;
  }

  versionsOf({ runs }: RunUnit): Iterable<number> {
    return new Set(runs.map(({ point }) => this.#planned.points.version(point, this.#scene.versions)));
  }

  add({ unit, rest, told }: RunsResult): void {
    for (const [i, order] of unit.runs.entries()) {
      if (this.#drawn === 0) this.#before.set(keyOf(order), 1 + (this.#before.get(keyOf(order)) ?? 0));
      this.#judge(order, told[i]!.asked);
      this.tested++;
    }
    if (rest !== undefined) this.#returned.push(...rest.runs);
  }

  #judge({ point, held }: Order, asked: ToldRun["asked"]): void {
    const known = this.#known.find(point, held);
    for (const { pair } of known?.told ?? []) pair.count++;
    const { length } = known?.told ?? this.#judgeAnew(point, held, unpackQuestions(asked));
    if (length > 0) this.violating++;
  }

  #judgeAnew(point: number, held: readonly Held[], questions: Int32Array): readonly Sighting[] {
    const near = this.#known.nearest(point, held);
    const found: Sighting[] = [];
    const shared = this.#order.judge(
      point,
      { held, questions, other: near?.held },
      ({ at, violations, hasStrictTwin }) => {
        for (const pair of this.pairs.add(violations, point, hasStrictTwin, this.#planned.points))
          found.push({ at, pair });
      },
    );
    const before = near?.told.filter(({ at }) => at < shared) ?? [];
    for (const { pair } of before) pair.count++;
    const told = [...before, ...found];
    this.#known.add(point, { held, lines: this.#order.openLines(questions), told });
    return told;
  }

  findings(): readonly Finding[] {
    return findingsOf(this.pairs.all(), this.#scene, this.#planned);
  }
}
