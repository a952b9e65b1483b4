/**
 * Turns an ordered, reducible graph into nested WebAssembly blocks and loops: Ramsey, "Beyond Relooper" (ICFP 2022).
 * A loop header opens a `loop`; a merge node follows a `block` opened by its dominator; any other node is written
 * where its one predecessor branches to it. Branches of the graph become `br` or nothing at all.
 */
import { assert } from "../../base/index.ts";
import type { Code, Label } from "../../isa/wasm/index.ts";
import type { Edge, OrderedGraph } from "./graph.ts";

export interface Branches {
  /** Goes to the edge's node; nothing may be written after it before the enclosing block ends. */
  take(edge: number): void;
  /** The label to branch to when a bare `br` is all it takes. */
  labelOf(edge: number): Label | undefined;
}

/** Writes a block's body and its last branch: every path must end in a branch or leave the function. */
export type WriteNode = (node: number, branches: Branches) => void;

export function writeStructured(code: Code, graph: OrderedGraph, write: WriteNode): void {
  new Structurer(code, graph, write).tree(0);
}

class Structurer {
  readonly #code: Code;
  readonly #graph: OrderedGraph;
  readonly #write: WriteNode;
  readonly #children: number[][];
  readonly #loops: Label[] = [];
  readonly #follows: Label[] = [];
  readonly #label: number | undefined;

  constructor(code: Code, graph: OrderedGraph, write: WriteNode) {
    this.#code = code;
    this.#graph = graph;
    this.#write = write;
    this.#children = graph.edges.map(() => []);
    // In reverse postorder, so that what is emitted last is opened first.
    for (const node of graph.order.toReversed())
      if (node !== 0 && graph.isMerge[node]) this.#children[graph.dominator[node]!]!.push(node);
    this.#label = graph.edges.length > graph.firstDispatch ? code.local("i32") : undefined;
  }

  tree(node: number): void {
    if (!this.#graph.isLoopHeader[node]) return this.#within(node, 0);
    this.#loops[node] = this.#code.loop();
    this.#within(node, 0);
    this.#code.end();
  }

  #within(node: number, child: number): void {
    const follow = this.#children[node]![child];
    if (follow === undefined) return this.#node(node);
    this.#follows[follow] = this.#code.block();
    this.#within(node, child + 1);
    this.#code.end();
    this.tree(follow);
  }

  #node(node: number): void {
    const edges = this.#graph.edges[node]!;
    const take = (edge: number) => this.#take(node, edges[edge]!);
    if (node >= this.#graph.firstDispatch) return this.#dispatch(edges, take);
    this.#write(node, { take, labelOf: (edge) => this.#bareLabel(node, edges[edge]!) });
  }

  #dispatch(edges: readonly Edge[], take: (edge: number) => void): void {
    const code = this.#code;
    for (let edge = 0; edge < edges.length - 1; edge++) {
      code.get(this.#label!).i32(edge).op("i32.eq").if_();
      take(edge);
      code.end();
    }
    take(edges.length - 1);
  }

  #labelTo(from: number, to: number): Label | undefined {
    const { position, isMerge } = this.#graph;
    if (position[to]! <= position[from]!) return this.#loops[to];
    return isMerge[to] ? this.#follows[to] : undefined;
  }

  #bareLabel(from: number, edge: Edge): Label | undefined {
    return edge.label === undefined ? this.#labelTo(from, edge.to) : undefined;
  }

  #take(from: number, edge: Edge): void {
    if (edge.label !== undefined) {
      assert(this.#label !== undefined, "jit: a labelled edge goes to a dispatch node");
      this.#code.i32(edge.label).set(this.#label);
    }
    const label = this.#labelTo(from, edge.to);
    if (label === undefined) this.tree(edge.to);
    else this.#code.br(label);
  }
}
