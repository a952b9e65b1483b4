/** Edges that hold when several literals do: how many each still waits for, kept up as literals come and go. */
import { ALWAYS, type Literal } from "../theory.ts";
import type { GuardedEdge } from "./problem.ts";

/** Things by the literal that they wait for. */
export class ByLiteral<Item> {
  readonly #positive: Item[][];
  readonly #negative: Item[][];

  constructor(atoms: number) {
    this.#positive = Array.from({ length: atoms + 1 }, () => []);
    this.#negative = Array.from({ length: atoms + 1 }, () => []);
  }

  add(literal: Literal, item: Item): void {
    this.of(literal).push(item);
  }

  of(literal: Literal): Item[] {
    return literal >= 0 ? this.#positive[literal]! : this.#negative[-literal]!;
  }
}

/** The reasons of an edge, those that need none left out. */
export const reasonsOf = ({ because }: GuardedEdge): readonly Literal[] =>
  because.filter((literal, index) => literal !== ALWAYS && because.indexOf(literal) === index);

export class GuardedEdges {
  readonly edges: readonly GuardedEdge[];
  readonly reasons: readonly (readonly Literal[])[];
  readonly #waiting: Int32Array;
  readonly #byLiteral: ByLiteral<number>;

  constructor(atoms: number, edges: readonly GuardedEdge[]) {
    this.edges = edges;
    this.reasons = edges.map(reasonsOf);
    this.#byLiteral = new ByLiteral(atoms);
    this.#waiting = Int32Array.from(this.reasons, ({ length }) => length);
    this.reasons.forEach((reasons, edge) => {
      for (const literal of reasons) this.#byLiteral.add(literal, edge);
    });
  }

  /** Edges that hold whatever is decided. */
  static(): number[] {
    return this.reasons.flatMap((reasons, edge) => (reasons.length === 0 ? [edge] : []));
  }

  /** For how many literals an edge still waits. */
  waiting(edge: number): number {
    return this.#waiting[edge]!;
  }

  /** A literal holds: the edges that hold because of it are handed on. */
  hold(literal: Literal, holds: (edge: number) => void): void {
    const edges = this.#byLiteral.of(literal);
    for (const edge of edges) this.#waiting[edge]!--;
    for (const edge of edges) if (this.#waiting[edge] === 0) holds(edge);
  }

  release(literal: Literal): void {
    for (const edge of this.#byLiteral.of(literal)) this.#waiting[edge]!++;
  }
}
