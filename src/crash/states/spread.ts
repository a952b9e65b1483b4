/**
 * Which of a place's many instances are looked at, when not every dynamic failure point is. A place is an event with its
 * calls; its first instance often does not show the mistake (of 45 insertions the one that splits a node shares its stack
 * with the first). Always:
 * - An instance is taken when its layout is new for the place: the set of site and offset in its line of the open stores.
 * - So are the first and the last instance, and some in between, ever farther apart.
 * - The choice follows from the trace alone.
 */
import type { FailurePoint } from "./points.ts";
import type { Moment } from "./walk.ts";

interface Place {
  instances: number;
  readonly layouts: Set<number>;
  /** The latest instance, if it was not taken. */
  last: FailurePoint | undefined;
}

/** Instances 1, 4, 16, … are taken. */
const growth = 4;
/** New layouts of one place that are taken, and instances of it that are asked for theirs. */
const mostLayouts = 8;
const mostAsked = 1024;
/** With more open lines the layout of an instance costs more to tell than it is worth. */
const mostLines = 64;

/** Of many alike, counted from 1, these stand for the others. */
export const isPowerOfGrowth = (count: number): boolean => {
  let power = 1;
  while (power < count) power *= growth;
  return power === count;
};

/** Equal for equal sets of site and offset, whatever their order. */
function layoutOf({ lines }: Moment): number {
  const seen = new Set<number>();
  let hash = 0;
  for (const { pending } of lines.open)
    for (const { site, offset } of pending) {
      const key = site * 64 + offset;
      if (seen.has(key)) continue;
      seen.add(key);
      const mixed = Math.imul(site ^ (offset << 25), 0x9e3779b1);
      hash = (hash + (mixed ^ (mixed >>> 15))) | 0;
    }
  return hash;
}

export class PointChooser {
  readonly #every: boolean;
  readonly #places = new Map<string, Place>();
  readonly #chosen: FailurePoint[] = [];

  /** `every`: all dynamic points are taken. */
  constructor(every: boolean) {
    this.#every = every;
  }

  visit(point: FailurePoint, moment: Moment): void {
    if (this.#every || point.before === "end") {
      this.#chosen.push(point);
      return;
    }
    const place = this.#placeOf(point);
    place.instances++;
    if (this.#isNewLayout(place, moment) || isPowerOfGrowth(place.instances)) {
      this.#chosen.push(place.instances === 1 ? point : { ...point, repeated: true });
      place.last = undefined;
    } else place.last = { ...point, repeated: true };
  }

  #isNewLayout({ layouts, instances }: Place, moment: Moment): boolean {
    if (moment.lines.openCount > mostLines || layouts.size >= mostLayouts || instances > mostAsked) return false;
    const before = layouts.size;
    return layouts.add(layoutOf(moment)).size > before;
  }

  #placeOf({ before, site, stack }: FailurePoint): Place {
    const key = `${before === "call" ? "call" : ""} ${stack} ${site}`;
    const place = this.#places.get(key) ?? { instances: 0, layouts: new Set(), last: undefined };
    this.#places.set(key, place);
    return place;
  }

  /** In the order of the trace. */
  points(): readonly FailurePoint[] {
    const lasts = [...this.#places.values()].flatMap(({ last }) => last ?? []);
    const version = (point: FailurePoint) => point.version ?? Number.MAX_SAFE_INTEGER;
    return [...this.#chosen, ...lasts].sort((a, b) => a.seq - b.seq || version(a) - version(b));
  }
}
