/**
 * A graph that stays acyclic: an edge that would close a cycle is refused (Bender, Fineman, Gilbert and Tarjan, "A New Approach
 * to Incremental Cycle Detection", 2015, the algorithm for sparse graphs). Always:
 * - An edge leads to a node of the same level or a higher one.
 * - Edges are taken back in the opposite order. Levels are not: they remain right when edges go.
 */
import { assert } from "../../base/index.ts";

export class AcyclicGraph {
  readonly nodes: number;
  /** Edges by number: their ends, and the next edge of the same start or end. */
  #from = new Int32Array(64);
  #to = new Int32Array(64);
  #nextOut = new Int32Array(64);
  #nextIn = new Int32Array(64);
  readonly #firstOut: Int32Array;
  readonly #firstIn: Int32Array;
  readonly #level: Int32Array;
  readonly #marked: Int32Array;
  readonly #queue: Int32Array;
  #mark = 0;
  #count = 0;

  constructor(nodes: number) {
    this.nodes = nodes;
    this.#firstOut = new Int32Array(nodes).fill(-1);
    this.#firstIn = new Int32Array(nodes).fill(-1);
    this.#level = new Int32Array(nodes);
    this.#marked = new Int32Array(nodes);
    this.#queue = new Int32Array(nodes);
  }

  get count(): number {
    return this.#count;
  }

  startOf(edge: number): number {
    return this.#from[edge]!;
  }

  endOf(edge: number): number {
    return this.#to[edge]!;
  }

  /** Edges out of a node, the newest first; -1 ends them. */
  firstOut(node: number): number {
    return this.#firstOut[node]!;
  }

  nextOut(edge: number): number {
    return this.#nextOut[edge]!;
  }

  firstIn(node: number): number {
    return this.#firstIn[node]!;
  }

  nextIn(edge: number): number {
    return this.#nextIn[edge]!;
  }

  /** False when the edge would close a cycle; then nothing has changed. */
  add(from: number, to: number): boolean {
    if (from === to || !this.#keepsOrder(from, to)) return false;
    if (this.#count === this.#from.length) this.#grow();
    const edge = this.#count++;
    this.#from[edge] = from;
    this.#to[edge] = to;
    this.#nextOut[edge] = this.#firstOut[from]!;
    this.#firstOut[from] = edge;
    this.#nextIn[edge] = this.#firstIn[to]!;
    this.#firstIn[to] = edge;
    return true;
  }

  /** Takes back the newest edges until so many are left. */
  shrinkTo(count: number): void {
    assert(count <= this.#count, "edges are taken back, never invented");
    while (this.#count > count) {
      const edge = --this.#count;
      this.#firstOut[this.#from[edge]!] = this.#nextOut[edge]!;
      this.#firstIn[this.#to[edge]!] = this.#nextIn[edge]!;
    }
  }

  #grow(): void {
    const larger = (words: Int32Array) => {
      const grown = new Int32Array(words.length * 2);
      grown.set(words);
      return grown;
    };
    this.#from = larger(this.#from);
    this.#to = larger(this.#to);
    this.#nextOut = larger(this.#nextOut);
    this.#nextIn = larger(this.#nextIn);
  }

  /** Raises levels so that the edge fits; false when it closes a cycle. */
  #keepsOrder(from: number, to: number): boolean {
    const level = this.#level[from]!;
    if (level < this.#level[to]!) return true;
    const mark = ++this.#mark;
    const patience = Math.ceil(Math.sqrt(this.#count + 1));
    const search = this.#searchBack(from, to, mark, patience);
    if (search === "cycle") return false;
    if (search === "ended" && level === this.#level[to]!) return true;
    // A search that was given up knows only its start.
    const seen = search === "ended" ? mark : ++this.#mark;
    this.#marked[from] = seen;
    return this.#raise(to, search === "ended" ? level : level + 1, seen);
  }

  /** From the edge's start against the edges of its level, through so many edges. What it meets is marked. */
  #searchBack(from: number, to: number, mark: number, patience: number): "cycle" | "ended" | "given up" {
    const level = this.#level[from]!;
    this.#marked[from] = mark;
    this.#queue[0] = from;
    let left = patience;
    for (let at = 0, end = 1; at < end; at++) {
      for (let edge = this.#firstIn[this.#queue[at]!]!; edge >= 0; edge = this.#nextIn[edge]!) {
        const node = this.#from[edge]!;
        if (this.#level[node]! !== level) continue;
        if (node === to) return "cycle";
        if (this.#marked[node] === mark) continue;
        if (left-- === 0) return "given up";
        this.#marked[node] = mark;
        this.#queue[end++] = node;
      }
    }
    return "ended";
  }

  /** Lifts a node, and what it leads to as far as needed; false, and no change, when it leads to a marked node. */
  #raise(start: number, level: number, mark: number): boolean {
    const lifted: [node: number, before: number][] = [[start, this.#level[start]!]];
    this.#level[start] = level;
    for (let at = 0; at < lifted.length; at++) {
      for (let edge = this.#firstOut[lifted[at]![0]]!; edge >= 0; edge = this.#nextOut[edge]!) {
        const node = this.#to[edge]!;
        if (this.#marked[node] === mark) {
          for (const [raised, before] of lifted) this.#level[raised] = before;
          return false;
        }
        if (this.#level[node]! >= level) continue;
        lifted.push([node, this.#level[node]!]);
        this.#level[node] = level;
      }
    }
    return true;
  }
}
