/**
 * Where recovery fails, put together: one failure for each way to fail and each set of places whose stores it cannot do
 * without. Always: the order in which failing states come makes no difference.
 */

import type { Held, PointView, StoresByLine, TracePoints } from "../../crash/recovery-tree/index.ts";
import type { FailurePoint } from "../../crash/states/index.ts";

export type StorePlace = Pick<FailurePoint, "site" | "stack">;

/** The state that shows a failure best: the fewest lines that lost a store, the fewest cut inside, the earliest point. */
export interface FailingWay {
  readonly failure: string;
  readonly point: number;
  readonly held: readonly Held[];
  /** Places of the lost stores; none when every store was kept. */
  readonly sites: ReadonlyMap<string, StorePlace>;
  /** Ways, at points, that show it. */
  readonly count: number;
}

interface Known extends FailingWay {
  readonly inner: number;
}

export const placeOf = ({ site, stack }: StorePlace): string => `${site}/${stack}`;

/** Fewer lost lines first, then fewer cut inside, then earlier. */
const order = (a: Known, b: Known): number =>
  a.held.length - b.held.length || a.inner - b.inner || a.point - b.point || textOrder(`${a.held}`, `${b.held}`);

export const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export class FailingWays {
  readonly #points: TracePoints;
  readonly #stores: StoresByLine;
  readonly #known = new Map<string, Known>();
  /** Ways that no earlier one explains. */
  readonly #firsts: FailingWay[] = [];

  constructor(points: TracePoints, stores: StoresByLine) {
    this.#points = points;
    this.#stores = stores;
  }

  get count(): number {
    return new Set([...this.#known.values()].map(({ failure, sites }) => `${failure} ${[...sites.keys()].join()}`))
      .size;
  }

  /** `view` stands at the point. Returns the way where it is the first with these places, and no smaller set of them explains it. */
  add(failure: string, point: number, held: readonly Held[], view: PointView): FailingWay | undefined {
    const sites = lostSites(this.#points, this.#stores, held, view);
    const inner = held.filter(([line, content]) => content !== view.low[line]).length;
    const key = `${failure}\n${[...sites.keys()].join(" ")}\n${placeOf(this.#points.point(point))}`;
    const found: Known = { failure, point, held, sites, inner, count: 1 };
    const known = this.#known.get(key);
    const best = known === undefined || order(found, known) < 0 ? found : known;
    this.#known.set(key, { ...best, count: 1 + (known?.count ?? 0) });
    if (known !== undefined || this.#firsts.some((first) => this.#explains(first, found))) return undefined;
    this.#firsts.push(found);
    return found;
  }

  #explains(first: FailingWay, way: FailingWay): boolean {
    return explains(first, way, ({ point }) => placeOf(this.#points.point(point)));
  }

  smallest(): readonly FailingWay[] {
    const all = [...this.#known.values()].sort((a, b) => a.sites.size - b.sites.size || order(a, b));
    return smallestWays(all, ({ point }) => placeOf(this.#points.point(point)));
  }
}

/** Places of the stores that these lines lose; `view` stands at the point. */
export function lostSites(
  points: TracePoints,
  stores: StoresByLine,
  held: readonly Held[],
  { high }: Pick<PointView, "high">,
): ReadonlyMap<string, StorePlace> {
  const { cuts } = points.tables;
  const lost = held.flatMap(([line, content]) => {
    const [from, pieces] = [cuts[2 * content]!, cuts[2 * content + 1]!];
    return [...stores.of(line, from, cuts[2 * high[line]!]!)].filter((_, i) => !((pieces >>> i) & 1));
  });
  const places = lost.map(({ store }) => [placeOf(store), store] as const);
  return new Map(places.toSorted(([a], [b]) => textOrder(a, b)));
}

type Explained = Pick<FailingWay, "failure" | "sites" | "count">;

/** Whether a failure is explained by one without fewer places, or where both have none by one at the same place. */
const explains = <W extends Explained>(a: W, b: W, place: (way: W) => string): boolean =>
  a.failure === b.failure &&
  (a.sites.size === 0 ? place(a) === place(b) : [...a.sites.keys()].every((site) => b.sites.has(site)));

/**
 * The smallest sets of places, of ways with the smaller ones first: a failure without more of them is explained by one with
 * fewer, and where recovery also fails with every store kept, by that.
 */
export function smallestWays<W extends Explained>(ways: readonly W[], place: (way: W) => string): readonly W[] {
  const kept: W[] = [];
  for (const way of ways) {
    const by = kept.findIndex((known) => explains(known, way, place));
    if (by < 0) kept.push(way);
    else kept[by] = { ...kept[by]!, count: kept[by]!.count + way.count };
  }
  return kept;
}
