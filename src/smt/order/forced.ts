/**
 * Literals that a new edge rules out: those of edges that would close a cycle through it. What comes before the edge's start and
 * what comes after its end is collected once; an undecided edge from the one to the other would be such.
 */
import type { Literal } from "../theory.ts";
import type { AcyclicGraph } from "./acyclic.ts";
import type { GuardedEdges } from "./guarded.ts";
import type { OrderProblem } from "./problem.ts";
import type { Rereads } from "./rereads.ts";

/** The edge from `from` to `to` would close a cycle; it holds if one more literal does, besides `because`. */
export interface RuledOut {
  /** What must hold instead. */
  readonly literal: Literal;
  readonly from: number;
  readonly to: number;
  readonly because: readonly Literal[];
}

export class Forced {
  readonly #problem: OrderProblem;
  readonly #graph: AcyclicGraph;
  readonly #edges: GuardedEdges;
  readonly #rereads: Rereads;
  readonly #edgesOutOf: readonly number[][];
  readonly #before: Uint8Array;

  constructor(problem: OrderProblem, graph: AcyclicGraph, edges: GuardedEdges, rereads: Rereads) {
    this.#problem = problem;
    this.#graph = graph;
    this.#edges = edges;
    this.#rereads = rereads;
    this.#before = new Uint8Array(problem.nodes);
    this.#edgesOutOf = Array.from({ length: problem.nodes }, () => []);
    problem.edges.forEach(({ from }, edge) => {
      if (edges.reasons[edge]!.length > 0) this.#edgesOutOf[from]!.push(edge);
    });
  }

  /** After an edge was added. Each undecided literal comes at most once. */
  after(from: number, to: number, value: Int8Array): RuledOut[] {
    const before = this.#reached(from, "back");
    const after = this.#reached(to, "on");
    for (const node of before) this.#before[node] = 1;
    const found = new Map<Literal, RuledOut>();
    for (const node of after) {
      this.#guarded(node, value, found);
      this.#fromReads(node, value, found);
    }
    for (const node of before) this.#before[node] = 0;
    return [...found.values()];
  }

  #reached(start: number, direction: "back" | "on"): number[] {
    const seen = new Uint8Array(this.#graph.nodes);
    const reached = [start];
    seen[start] = 1;
    for (let at = 0; at < reached.length; at++) {
      const node = reached[at]!;
      if (direction === "on") {
        for (let edge = this.#graph.firstOut(node); edge >= 0; edge = this.#graph.nextOut(edge))
          this.#reach(this.#graph.endOf(edge), seen, reached);
      } else {
        for (let edge = this.#graph.firstIn(node); edge >= 0; edge = this.#graph.nextIn(edge))
          this.#reach(this.#graph.startOf(edge), seen, reached);
      }
    }
    return reached;
  }

  #reach(node: number, seen: Uint8Array, reached: number[]): void {
    if (seen[node] === 1) return;
    seen[node] = 1;
    reached.push(node);
  }

  #guarded(node: number, value: Int8Array, found: Map<Literal, RuledOut>): void {
    for (const edge of this.#edgesOutOf[node]!) {
      const { to } = this.#problem.edges[edge]!;
      if (this.#before[to] === 0 || this.#edges.waiting(edge) !== 1) continue;
      const reasons = this.#edges.reasons[edge]!;
      const open = reasons.find((literal) => value[Math.abs(literal)] === 0);
      if (open === undefined || found.has(-open)) continue;
      const because = reasons.filter((literal) => literal !== open);
      found.set(-open, { literal: -open, from: node, to, because });
    }
  }

  /** Reads that hold, with orders that are undecided; and the other way round. */
  #fromReads(node: number, value: Int8Array, found: Map<Literal, RuledOut>): void {
    const stateOf = (literal: Literal) => (literal === 0 ? 1 : value[Math.abs(literal)]! * Math.sign(literal));
    for (const read of this.#rereads.readsBy[node]!) {
      const state = stateOf(read.literal);
      if (state < 0) continue;
      const orders = state > 0 ? this.#rereads.ordersOf[read.piece]! : this.#rereads.heldOrdersOf(read.piece);
      for (const { later, literal } of orders) {
        const [known, open] = state > 0 ? [read.literal, literal] : [literal, read.literal];
        if (this.#before[later] === 0 || later === node || stateOf(open) !== 0 || found.has(-open)) continue;
        if (this.#problem.fromRead(node, later) !== "edge") continue;
        found.set(-open, { literal: -open, from: node, to: later, because: known === 0 ? [] : [known] });
      }
    }
  }
}
