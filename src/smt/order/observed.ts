/**
 * The nodes from which a given one can be reached: one column of the transitive closure, kept up as edges come (Italiano, "Amortized
 * Efficiency of a Path Retrieval Data Structure", 1986: what is reached stays so, hence every edge is walked once) and go. Always:
 * - A node of the set has a first edge of a way to the target, and the way goes on inside the set.
 * - Edges are taken back in the opposite order, and with them what came into the set since.
 */
import { assert } from "../../base/index.ts";

export class WaysTo {
  readonly target: number;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #into: number[][];
  /** The edge by which a node reaches the target; -1 outside the set, -2 for the target. */
  readonly #by: Int32Array;
  readonly #joined: number[] = [];

  constructor(nodes: number, target: number) {
    this.target = target;
    this.#into = Array.from({ length: nodes }, () => []);
    this.#by = new Int32Array(nodes).fill(-1);
    this.#by[target] = -2;
  }

  get edges(): number {
    return this.#from.length;
  }

  /** How many nodes have come into the set. */
  get joined(): number {
    return this.#joined.length;
  }

  joinedAt(index: number): number {
    return this.#joined[index]!;
  }

  has(node: number): boolean {
    return this.#by[node] !== -1;
  }

  add(from: number, to: number): void {
    const edge = this.#from.length;
    this.#from.push(from);
    this.#to.push(to);
    this.#into[to]!.push(edge);
    if (!this.has(to) || this.has(from)) return;
    this.#join(from, edge);
    for (let at = this.#joined.length - 1; at < this.#joined.length; at++)
      for (const next of this.#into[this.#joined[at]!]!)
        if (!this.has(this.#from[next]!)) this.#join(this.#from[next]!, next);
  }

  #join(node: number, edge: number): void {
    this.#by[node] = edge;
    this.#joined.push(node);
  }

  /** The edges of a way from a node of the set to the target. */
  wayFrom(node: number): number[] {
    const way: number[] = [];
    for (let at = node; at !== this.target; at = this.#to[way.at(-1)!]!) {
      assert(this.#by[at]! >= 0, "ways are asked for inside the set");
      way.push(this.#by[at]!);
    }
    return way;
  }

  shrinkTo(edges: number, joined: number): void {
    while (this.#joined.length > joined) this.#by[this.#joined.pop()!] = -1;
    while (this.#from.length > edges) {
      this.#into[this.#to.pop()!]!.pop();
      this.#from.pop();
    }
  }
}
