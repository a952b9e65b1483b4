/**
 * What of a behaviour counts when it is compared with another: which fields it stores, how often, and how far stores to one
 * field are ordered before stores to another (Squint, step D). Which object it was does not. Always: an outline takes time
 * in proportion to the stores and to the pairs of fields, not to the pairs of stores; those of several threads aside, of
 * which happens-before is asked for each pair while they are few.
 */
import type { Behaviour } from "./behaviours.ts";
import type { StoreOrder } from "./order.ts";

/** Of all pairs of a store to one field and a store to the other: how many are ordered. */
export type Strength = 0 | 1 | 2;
const none: Strength = 0;
const some: Strength = 1;
const all: Strength = 2;

export interface Outline {
  /** Ascending. */
  readonly fields: readonly number[];
  /** 1 or 2, which is many. */
  readonly times: readonly number[];
  /** Of the field at `before * fields.length + after`. */
  readonly strengths: readonly Strength[];
}

const never = Number.POSITIVE_INFINITY;
/** Stores of several threads that are more than these are taken to be ordered as the run made them. */
const mostPaired = 500;

/** What of a field's stores decides how they are ordered with those of others. */
class FieldStores {
  first = never;
  last = -1;
  count = 0;
  /** The earliest moment that one was durable. */
  soonest = never;
  /** The latest of all, and the latest of those in other lines than that one. */
  latest: { readonly at: number; readonly line: number } = { at: -1, line: -1 };
  latestElsewhere = -1;
  /** The first issue, and the first of those in other lines. */
  firstIssue: { readonly at: number; readonly line: number } = { at: never, line: -1 };
  firstElsewhere = never;
  lastIssue = -1;
  /** By line: its first and its last store. */
  readonly lines = new Map<number, [first: number, last: number]>();

  /** Stores come in their order. */
  add(store: number, order: StoreOrder): void {
    const line = order.lineOf(store);
    const issued = order.issuedAt(store);
    const durable = order.durableAt(store) ?? never;
    this.count++;
    this.first = Math.min(this.first, store);
    this.last = store;
    this.lastIssue = issued;
    this.soonest = Math.min(this.soonest, durable);
    if (issued < this.firstIssue.at) this.firstIssue = { at: issued, line };
    else if (line !== this.firstIssue.line) this.firstElsewhere = Math.min(this.firstElsewhere, issued);
    if (durable > this.latest.at) {
      if (line !== this.latest.line) this.latestElsewhere = this.latest.at;
      this.latest = { at: durable, line };
    } else if (line !== this.latest.line) this.latestElsewhere = Math.max(this.latestElsewhere, durable);
    const range = this.lines.get(line);
    if (range === undefined) this.lines.set(line, [store, store]);
    else range[1] = store;
  }

  /** Whether one of these is ordered before one of those. */
  somePrecede(after: FieldStores): boolean {
    if (this.soonest < after.lastIssue) return true;
    const [fewer, more] = this.lines.size < after.lines.size ? [this.lines, after.lines] : [after.lines, this.lines];
    for (const line of fewer.keys())
      if (more.has(line) && this.lines.get(line)![0] < after.lines.get(line)![1]) return true;
    return false;
  }

  /**
   * Whether all of these are ordered before all of those: where not, one of these is durable only after one of those in
   * another line was issued, and the latest and the first of each show it.
   */
  allPrecede(after: FieldStores): boolean {
    if (this.last >= after.first) return false;
    const { latest, latestElsewhere } = this;
    const { firstIssue, firstElsewhere } = after;
    if (latest.line !== firstIssue.line) return latest.at < firstIssue.at;
    const isAloneInLine = firstElsewhere === never;
    return (isAloneInLine || latest.at < firstElsewhere) && latestElsewhere < firstIssue.at;
  }
}

export function outlineOf(behaviour: Behaviour, order: StoreOrder): Outline {
  const byField = new Map<number, FieldStores>();
  for (const [index, field] of behaviour.fields.entries()) {
    let stores = byField.get(field);
    if (stores === undefined) {
      stores = new FieldStores();
      byField.set(field, stores);
    }
    stores.add(behaviour.stores[index]!, order);
  }
  const fields = [...byField.keys()].sort((a, b) => a - b);
  const stores = fields.map((field) => byField.get(field)!);
  const times = stores.map(({ count }) => Math.min(count, 2));
  const isInterval = behaviour.stores.length > mostPaired || order.isOfOneThread(behaviour.stores);
  const strengths = isInterval
    ? stores.flatMap((before) => stores.map((after) => strengthOf(before, after)))
    : pairedStrengths(fields, behaviour, order);
  return { fields, times, strengths };
}

/** Of stores that several threads made or made durable: how far each pair is ordered. */
function pairedStrengths(fields: readonly number[], behaviour: Behaviour, order: StoreOrder): readonly Strength[] {
  const places = new Map(fields.map((field, place) => [field, place]));
  const placeOf = behaviour.fields.map((field) => places.get(field)!);
  const pairs = new Uint32Array(fields.length ** 2);
  const ordered = new Uint32Array(fields.length ** 2);
  // The later one outside: what its thread has seen is asked for once.
  for (const [later, b] of behaviour.stores.entries())
    for (const [earlier, a] of behaviour.stores.entries()) {
      if (a === b) continue;
      const at = placeOf[earlier]! * fields.length + placeOf[later]!;
      pairs[at]!++;
      if (order.precedes(a, b)) ordered[at]!++;
    }
  return Array.from(pairs, (count, at) => (ordered[at] === 0 ? none : ordered[at] === count ? all : some));
}

/** By what an outline is known again. */
export const outlineKey = ({ fields, times, strengths }: Outline): string =>
  `${fields.join()}|${times.join("")}|${strengths.join("")}`;

export const nodesOf = ({ times }: Outline): number => times.reduce((sum, count) => sum + count, 0);

export const constraintsOf = ({ strengths }: Outline): number => strengths.reduce<number>((sum, one) => sum + one, 0);

function strengthOf(before: FieldStores, after: FieldStores): Strength {
  if (before.allPrecede(after)) return all;
  return before.somePrecede(after) ? some : none;
}

/** Whether every crash state that `represented` can show has its like among those that `by` can. */
export function represents(by: Outline, represented: Outline): boolean {
  if (represented.fields.length > by.fields.length) return false;
  const places = placesIn(by.fields, represented.fields);
  if (places === undefined) return false;
  if (places.some((place, index) => by.times[place]! < represented.times[index]!)) return false;
  const strength = ({ strengths, fields }: Outline, before: number, after: number) =>
    strengths[before * fields.length + after]!;
  return places.every((before, i) =>
    places.every((after, j) => {
      // A field that is stored once has no order with itself.
      if (i === j && represented.times[i] === 1) return true;
      return strength(by, before, after) <= strength(represented, i, j);
    }),
  );
}

/** Where the wanted numbers are, both ascending; undefined when one of them is not there. */
function placesIn(numbers: readonly number[], wanted: readonly number[]): readonly number[] | undefined {
  const places: number[] = [];
  let at = 0;
  for (const number of wanted) {
    while (at < numbers.length && numbers[at]! < number) at++;
    if (numbers[at] !== number) return undefined;
    places.push(at);
  }
  return places;
}
