/**
 * What of a behaviour counts when it is compared with another: which fields it stores, how often, and how far stores to one
 * field are ordered before stores to another (Squint, step D). Which object it was does not.
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

export function outlineOf(behaviour: Behaviour, order: StoreOrder): Outline {
  const byField = new Map<number, number[]>();
  for (const [index, field] of behaviour.fields.entries()) {
    const stores = byField.get(field);
    if (stores === undefined) byField.set(field, [behaviour.stores[index]!]);
    else stores.push(behaviour.stores[index]!);
  }
  const fields = [...byField.keys()].sort((a, b) => a - b);
  const stores = fields.map((field) => byField.get(field)!);
  return {
    fields,
    times: stores.map((own) => Math.min(own.length, 2)),
    strengths: stores.flatMap((before) => stores.map((after) => strengthOf(before, after, order))),
  };
}

/** By what an outline is known again. */
export const outlineKey = ({ fields, times, strengths }: Outline): string =>
  `${fields.join()}|${times.join("")}|${strengths.join("")}`;

export const nodesOf = ({ times }: Outline): number => times.reduce((sum, count) => sum + count, 0);

export const constraintsOf = ({ strengths }: Outline): number => strengths.reduce<number>((sum, one) => sum + one, 0);

function strengthOf(before: readonly number[], after: readonly number[], order: StoreOrder): Strength {
  let yes = false;
  let no = false;
  for (const a of before)
    for (const b of after) {
      if (a === b) continue;
      if (order.precedes(a, b)) yes = true;
      else no = true;
      if (yes && no) return some;
    }
  return yes ? all : none;
}

/** Whether every crash state that `represented` can show has its like among those that `by` can. */
export function represents(by: Outline, represented: Outline): boolean {
  const places = represented.fields.map((field) => by.fields.indexOf(field));
  if (places.includes(-1)) return false;
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
