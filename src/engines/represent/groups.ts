/**
 * Behaviours that stand for others (Squint, step D): from the one with the most nodes down, each joins every group whose
 * representative stands for it, or else begins one. Always:
 * - Behaviours that look alike are judged once, so that a run of a hundred thousand operations costs as much as the kinds of
 *   operation in it.
 * - Of behaviours that look alike and were made by the same statements, the first one is kept and the others are counted.
 */
import type { Behaviour } from "./behaviours.ts";
import type { StoreOrder } from "./order.ts";
import { constraintsOf, nodesOf, type Outline, outlineKey, outlineOf, represents } from "./outline.ts";

/** The first of the behaviours that look alike and are of the same statements, and how many they are. */
export interface Variant {
  readonly behaviour: Behaviour;
  readonly count: number;
  /** Of the source, with their callers, by number, ascending. */
  readonly statements: readonly number[];
}

export interface Group {
  readonly outline: Outline;
  /** Its representative. */
  readonly leader: Variant;
  /** All others, those that look like the leader first. */
  readonly members: readonly Variant[];
}

/** Behaviours that look alike. */
interface Kind {
  readonly outline: Outline;
  readonly nodes: number;
  readonly constraints: number;
  readonly variants: Map<string, Variant>;
  first: number;
}

const lastPosition = 2 ** 32;

export class Kinds {
  readonly #order: StoreOrder;
  readonly #complete: number;
  readonly #kinds = new Map<string, Kind>();
  #count = 0;

  /** From the event `complete` on, the file is: what begins before that counts as later than all that follows. */
  constructor(order: StoreOrder, complete = 0) {
    this.#order = order;
    this.#complete = complete;
  }

  /** Updates of a file that is being created are told apart when they fail: others of their kind go before them. */
  #position({ stores }: Behaviour): number {
    const first = stores[0]!;
    return this.#order.issuedAt(first) < this.#complete ? first + lastPosition : first;
  }

  /** Behaviours so far. */
  get count(): number {
    return this.#count;
  }

  add(behaviour: Behaviour): void {
    this.#count++;
    const outline = outlineOf(behaviour, this.#order);
    const kind = this.#kindOf(outline);
    const made = new Set(behaviour.stores.map((store) => this.#order.statementOf(store)));
    const statements = [...made].sort((a, b) => a - b);
    const key = statements.join();
    const known = kind.variants.get(key);
    const position = this.#position(behaviour);
    const isFirst = known === undefined || position < this.#position(known.behaviour);
    const first = isFirst ? behaviour : known.behaviour;
    kind.variants.set(key, { behaviour: first, count: 1 + (known?.count ?? 0), statements });
    kind.first = Math.min(kind.first, position);
  }

  #kindOf(outline: Outline): Kind {
    const key = outlineKey(outline);
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    const [nodes, constraints] = [nodesOf(outline), constraintsOf(outline)];
    const kind: Kind = { outline, nodes, constraints, variants: new Map(), first: Number.POSITIVE_INFINITY };
    this.#kinds.set(key, kind);
    return kind;
  }

  groups(): readonly Group[] {
    const groups: { readonly outline: Outline; readonly kinds: Kind[] }[] = [];
    for (const kind of this.#inOrder()) {
      const fitting = groups.filter(({ outline }) => represents(outline, kind.outline));
      for (const { kinds } of fitting) kinds.push(kind);
      if (fitting.length === 0) groups.push({ outline: kind.outline, kinds: [kind] });
    }
    return groups.map(({ outline, kinds }) => {
      const [leader, ...members] = kinds.flatMap((kind) =>
        [...kind.variants.values()].sort((a, b) => this.#position(a.behaviour) - this.#position(b.behaviour)),
      );
      return { outline, leader: leader!, members };
    });
  }

  /** Most nodes first, then fewest constraints, then position. */
  #inOrder(): readonly Kind[] {
    return [...this.#kinds.values()].sort(
      (a, b) => b.nodes - a.nodes || a.constraints - b.constraints || a.first - b.first,
    );
  }
}
