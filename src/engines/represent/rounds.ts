/**
 * What is tested of a behaviour (Squint, step E): crashes from its first store until its last one is durable, in which
 * everything stored before is persisted, its own lines take every cut that is legal, and all other lines have all that was
 * stored so far. Always: each of these states is one of the point's own.
 */

import { type PlannedPoints, PointView, type Round, type TracePoints } from "../../crash/recovery-tree/index.ts";
import { placeOfLine } from "../../model/pmem/index.ts";
import type { Behaviour } from "./behaviours.ts";
import type { StoreOrder } from "./order.ts";

/**
 * A behaviour lasts for more points than these only where something is not made durable for long: then so many are taken
 * from its beginning, and as many of the others, spread evenly, the last one among them.
 */
const pointsInRow = 32;
const pointsSpread = 32;

export class BehaviourRounds {
  readonly #planned: PlannedPoints;
  readonly #order: StoreOrder;
  /** Where each point lies in the trace. */
  readonly #positions: Uint32Array;
  /** Points that were not taken. */
  leftOut = 0;

  constructor(planned: PlannedPoints, order: StoreOrder) {
    this.#planned = planned;
    this.#order = order;
    this.#positions = planned.points.positions();
  }

  /** In the order of their points, so that going from one to the next costs little. */
  of(behaviours: readonly Behaviour[]): readonly Required<Round>[] {
    return behaviours.flatMap((behaviour) => this.#ofOne(behaviour)).sort((a, b) => a.point - b.point);
  }

  #ofOne(behaviour: Behaviour): readonly Required<Round>[] {
    const points = this.#pointsOf(behaviour);
    if (points.length === 0) return [];
    const open = this.#openLines(behaviour);
    return points.map((point) => ({ point, open }));
  }

  /** Crash states of the rounds, one by one: at a point no more than it has, since its rounds share some. */
  states(rounds: readonly Required<Round>[]): bigint {
    const { points } = this.#planned;
    const byPoint = new Map<number, bigint>();
    for (const round of rounds) byPoint.set(round.point, (byPoint.get(round.point) ?? 0n) + this.#statesOf(round));
    const view = new PointView(points);
    const cuts = new Map<number, bigint>();
    let states = 0n;
    for (const [point, own] of [...byPoint].sort(([a], [b]) => a - b)) {
      view.moveTo(point, (line) => cuts.set(line, BigInt(view.high[line]! - view.low[line]! + 1)));
      for (const [line, count] of cuts) if (count === 1n) cuts.delete(line);
      const all = [...cuts.values()].reduce((product, count) => product * count, 1n);
      states += own < all ? own : all;
    }
    return states;
  }

  #statesOf({ point, open }: Required<Round>): bigint {
    let states = 1n;
    for (const [line, [from, to]] of open) {
      const [low, high] = this.#planned.points.window(line, point);
      // The last content beside those before it.
      states *= BigInt(Math.max(0, Math.min(to, high - 1) - Math.max(low, from) + 1) + 1);
    }
    return states;
  }

  /** Points between the behaviour's first store and the moment when its last one is durable. */
  #pointsOf({ stores }: Behaviour): readonly number[] {
    const order = this.#order;
    const ends = stores.reduce((last, store) => Math.max(last, order.durableAt(store) ?? Number.POSITIVE_INFINITY), 0);
    const first = this.#pointAt(order.issuedAt(stores[0]!) + 1);
    const end = Math.min(this.#pointAt(Math.max(ends, order.issuedAt(stores.at(-1)!) + 1)), this.#positions.length - 1);
    const count = end - first + 1;
    if (count <= pointsInRow + pointsSpread) return Array.from({ length: Math.max(0, count) }, (_, i) => first + i);
    this.leftOut += count - pointsInRow - pointsSpread;
    const rest = count - pointsInRow;
    const spread = Array.from(
      { length: pointsSpread },
      (_, i) => first + pointsInRow - 1 + Math.ceil(((i + 1) * rest) / pointsSpread),
    );
    return [...Array.from({ length: pointsInRow }, (_, i) => first + i), ...spread];
  }

  /** The first point that lies there or behind. */
  #pointAt(seq: number): number {
    return firstWhere(0, this.#positions.length, (point) => this.#positions[point]! >= seq);
  }

  /** By line of the behaviour: from all that was stored before it to all that it stored itself. */
  #openLines(behaviour: Behaviour): Required<Round>["open"] {
    const { points, stores } = this.#planned;
    const first = this.#order.issuedAt(behaviour.stores[0]!);
    const lasts = new Map(behaviour.stores.map((store) => [this.#order.lineOf(store), this.#order.issuedAt(store)]));
    const open = new Map<number, readonly [from: number, to: number]>();
    for (const [key, last] of lasts) {
      const { file, index } = placeOfLine(key);
      const line = points.lineAt(file, index);
      if (line === undefined) continue;
      const keeping = (seq: number) => contentKeeping(points, line, stores.before(line, seq));
      open.set(line, [keeping(first), keeping(last + 1)]);
    }
    return open;
  }
}

/** The first number of a range that a test, false up to some number, is true for; else the end of the range. */
function firstWhere(from: number, end: number, test: (number: number) => boolean): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first content of a line that keeps so many of its stores. */
function contentKeeping(points: TracePoints, line: number, stores: number): number {
  const { cuts } = points.tables;
  const [first, end] = points.contentsOf(line);
  return firstWhere(first, end - 1, (content) => cuts[2 * content]! >= stores);
}
