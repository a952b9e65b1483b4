/**
 * Who reads from whom and which store overwrites which, as terms and as edges (section 5.2). Nothing says that a load reads from one
 * store only, or that the order of stores is transitive: a set of edges that allows more than it must still allows each choice.
 * Always:
 * - A relation holds only between events that are executed and pieces that are the same bytes.
 * - What reads a piece comes before what overwrites the same piece: a store that leaves it alone overwrites nothing of it.
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
import {
  comesBefore,
  isInitialEvent,
  meet,
  type Piece,
  type Place,
  type ProgramEvent,
  piecesOf,
} from "../events/events.ts";
import { type Atoms, NEVER } from "./atoms.ts";

/** `store` is where what is read comes from, when `condition` holds. */
export interface StoreRead {
  readonly store: ProgramEvent;
  /** Which of all pieces. */
  readonly piece: number;
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
  readonly pieces: Pieces;
  readonly executed: (event: ProgramEvent) => Term;
  readonly constraints: Term[];
  readonly edges: GuardedEdge[];
  readonly steps: GuardedEdge[];
  readonly reads: GuardedRead[];
  readonly orders: GuardedOrder[];
}

/** All pieces of all events, numbered. */
export class Pieces {
  readonly #first: number[] = [];
  readonly #of: (readonly Piece[])[];
  readonly count: number;

  constructor(events: readonly ProgramEvent[]) {
    this.#of = events.map(piecesOf);
    let count = 0;
    for (const pieces of this.#of) {
      this.#first.push(count);
      count += pieces.length;
    }
    this.count = count;
  }

  of({ id }: ProgramEvent): readonly Piece[] {
    return this.#of[id]!;
  }

  numberOf({ id }: ProgramEvent, index: number): number {
    return this.#first[id]! + index;
  }
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
  const { terms, constraints, pieces } = into;
  const sources = candidates.flatMap((store) =>
    pieces.of(store).flatMap((piece, index): StoreRead[] => {
      const same = meet(terms, piece.place, place);
      if (same === terms.false) return [];
      const possible = terms.and(stores(into, store), when, same, terms.equal(piece.stored!, found));
      if (possible === terms.false) return [];
      const number = pieces.numberOf(store, index);
      const condition = terms.variable("bool", `${name} from ${number}`);
      constraints.push(terms.implies(condition, possible));
      return [{ store, piece: number, condition }];
    }),
  );
  constraints.push(terms.implies(when, terms.or(...sources.map(({ condition }) => condition))));
  return sources;
}

/** PM-3, PM-4, PM-7. rf: the sources of each load, piece by piece. */
export function readsFrom(into: Encoding): Map<ProgramEvent, readonly (readonly StoreRead[])[]> {
  const { events, executed, pieces } = into;
  const all = new Map<ProgramEvent, readonly (readonly StoreRead[])[]>();
  const stored = events.filter(isStoring);
  for (const load of events) {
    if (load.found === undefined) continue;
    const candidates = stored.filter((store) => store !== load && !comesBefore(load, store));
    const sources = pieces.of(load).map(({ place, found }, index) => {
      const name = `load ${pieces.numberOf(load, index)}`;
      return chooseSource(into, name, { place, found: found! }, executed(load), candidates);
    });
    all.set(load, sources);
    for (const source of sources.flat()) addRead(into, load, source);
  }
  return all;
}

function addRead(into: Encoding, load: ProgramEvent, { store, piece, condition }: StoreRead): void {
  const { model, terms } = into;
  // PM-7 left out: a locked update is ordered by where it stores, whatever it has read.
  const asLoad =
    model.without.has("PM-7") && load.kind === "U" ? terms.and(condition, load.fails ?? terms.false) : condition;
  holding(into, asLoad, (literal) => into.reads.push({ reader: load.id, piece, literal }));
  if (isInitialEvent(store)) return;
  holding(into, condition, (literal) => {
    const step = { from: store.id, to: load.id, because: only(literal) };
    into.steps.push(step);
    if (!comesBefore(store, load) || model.without.has("PM-4")) into.edges.push(step);
  });
}

/** PM-5. co: for each two stores that may meet, which overwrites which. */
export function overwrites(into: Encoding): Overwrite[] {
  const stored = into.events.filter(isStoring);
  const found: Overwrite[] = [];
  stored.forEach((first, index) => {
    for (const second of stored.slice(index + 1)) found.push(...ordered(into, first, second));
  });
  for (const { earlier, later, condition } of found) {
    const met = meetings(into, earlier, later);
    // Where only one piece can be met, the overwriting says that it is.
    for (const { index, same } of met)
      holding(into, met.length === 1 ? condition : into.terms.and(condition, same), (literal) =>
        into.orders.push({ piece: into.pieces.numberOf(earlier, index), later: later.id, literal }),
      );
    holding(into, condition, (literal) => {
      if (isInitialEvent(earlier) || comesBefore(earlier, later)) return;
      into.edges.push({ from: earlier.id, to: later.id, because: only(literal) });
    });
  }
  return found;
}

/** Which pieces of a store another may meet, and when it does. */
function meetings({ terms, pieces }: Encoding, first: ProgramEvent, second: ProgramEvent) {
  return pieces.of(first).flatMap(({ place }, index) => {
    const same = terms.or(...pieces.of(second).map((other) => meet(terms, place, other.place)));
    return same === terms.false ? [] : [{ index, same }];
  });
}

function ordered(into: Encoding, first: ProgramEvent, second: ProgramEvent): Overwrite[] {
  const { terms, constraints } = into;
  const same = terms.or(...meetings(into, first, second).map((meeting) => meeting.same));
  const both = terms.and(same, stores(into, first), stores(into, second));
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
