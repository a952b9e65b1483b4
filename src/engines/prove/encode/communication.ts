/**
 * Who reads from whom and which store overwrites which, as terms and as edges (section 5.2). Nothing says that a load reads from one
 * store only, or that the order of stores is transitive: a set of edges that allows more than it must still allows each choice.
 * Always: a relation holds only between events that are executed and whose addresses are equal.
 */

import type { PmModel } from "../../../model/pmem/index.ts";
import {
  ALWAYS,
  type GuardedEdge,
  type GuardedOrder,
  type GuardedRead,
  type Literal,
  type Term,
  type Terms,
} from "../../../smt/index.ts";
import { comesBefore, isInitialEvent, meet, type Place, type ProgramEvent } from "../events/events.ts";
import { type Atoms, NEVER } from "./atoms.ts";

/** `store` is where what is read comes from, when `condition` holds. */
export interface StoreRead {
  readonly store: ProgramEvent;
  readonly condition: Term;
}

export interface Overwrite {
  readonly earlier: ProgramEvent;
  readonly later: ProgramEvent;
  readonly condition: Term;
}

/** What is collected while a program is encoded. */
export interface Encoding {
  readonly terms: Terms;
  readonly model: PmModel;
  readonly atoms: Atoms;
  readonly events: readonly ProgramEvent[];
  readonly executed: (event: ProgramEvent) => Term;
  readonly constraints: Term[];
  readonly edges: GuardedEdge[];
  readonly steps: GuardedEdge[];
  readonly reads: GuardedRead[];
  readonly orders: GuardedOrder[];
}

export const isStoring = ({ stored }: ProgramEvent): boolean => stored !== undefined;

/** A store that takes place. */
export function stores({ terms, executed }: Encoding, event: ProgramEvent): Term {
  return event.fails === undefined ? executed(event) : terms.and(executed(event), terms.not(event.fails));
}

export function holding(into: Encoding, condition: Term, add: (literal: Literal) => void): void {
  const guard = into.atoms.of(condition);
  if (guard !== NEVER) add(guard);
}

export const only = (literal: Literal): readonly Literal[] => (literal === ALWAYS ? [] : [literal]);

/** A variable for each store that `place` may be read from, restricted; one of them holds if `when` does. */
export function chooseSource(
  into: Encoding,
  name: string,
  { place, found }: { readonly place: Place; readonly found: Term },
  when: Term,
  candidates: readonly ProgramEvent[],
): StoreRead[] {
  const { terms, constraints } = into;
  const sources = candidates.flatMap((store): StoreRead[] => {
    const same = meet(terms, store.place!, place);
    const possible = terms.and(stores(into, store), when, same, terms.equal(store.stored!, found));
    if (same === terms.false || possible === terms.false) return [];
    const condition = terms.variable("bool", `${name} from ${store.id}`);
    constraints.push(terms.implies(condition, possible));
    return [{ store, condition }];
  });
  constraints.push(terms.implies(when, terms.or(...sources.map(({ condition }) => condition))));
  return sources;
}

/** PM-3, PM-4, PM-7. rf: the sources of each load. */
export function readsFrom(into: Encoding): Map<ProgramEvent, readonly StoreRead[]> {
  const { events, executed, model, terms } = into;
  const all = new Map<ProgramEvent, readonly StoreRead[]>();
  const stored = events.filter(isStoring);
  for (const load of events) {
    const { place, found } = load;
    if (found === undefined || place === undefined) continue;
    const candidates = stored.filter((store) => store !== load && !comesBefore(load, store));
    const sources = chooseSource(into, `load ${load.id}`, { place, found }, executed(load), candidates);
    all.set(load, sources);
    for (const { store, condition } of sources) {
      // PM-7 left out: a locked update is ordered by where it stores, whatever it has read.
      const asLoad =
        model.without.has("PM-7") && load.kind === "U" ? terms.and(condition, load.fails ?? terms.false) : condition;
      holding(into, asLoad, (literal) => into.reads.push({ reader: load.id, store: store.id, literal }));
      if (isInitialEvent(store)) continue;
      holding(into, condition, (literal) => {
        const step = { from: store.id, to: load.id, because: only(literal) };
        into.steps.push(step);
        if (!comesBefore(store, load) || model.without.has("PM-4")) into.edges.push(step);
      });
    }
  }
  return all;
}

/** PM-5. co: for each two stores that may meet, which overwrites which. */
export function overwrites(into: Encoding): Overwrite[] {
  const stored = into.events.filter(isStoring);
  const found: Overwrite[] = [];
  stored.forEach((first, index) => {
    for (const second of stored.slice(index + 1)) found.push(...ordered(into, first, second));
  });
  for (const { earlier, later, condition } of found) {
    holding(into, condition, (literal) => {
      into.orders.push({ earlier: earlier.id, later: later.id, literal });
      if (isInitialEvent(earlier) || comesBefore(earlier, later)) return;
      into.edges.push({ from: earlier.id, to: later.id, because: only(literal) });
    });
  }
  return found;
}

function ordered(into: Encoding, first: ProgramEvent, second: ProgramEvent): Overwrite[] {
  const { terms, constraints } = into;
  const both = terms.and(meet(terms, first.place!, second.place!), stores(into, first), stores(into, second));
  if (both === terms.false || isInitialEvent(second)) return [];
  if (isInitialEvent(first) || comesBefore(first, second)) return [{ earlier: first, later: second, condition: both }];
  const forth = terms.variable("bool", `${first.id} before ${second.id}`);
  const back = both === terms.true ? terms.not(forth) : terms.variable("bool", `${second.id} before ${first.id}`);
  constraints.push(terms.equal(terms.or(forth, back), both));
  return [
    { earlier: first, later: second, condition: forth },
    { earlier: second, later: first, condition: back },
  ];
}
