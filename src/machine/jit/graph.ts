/**
 * The control-flow graph of a region, made fit for structured control flow. Always, after `orderGraph`:
 * - Node 0 is the entry and every node can be reached from it.
 * - The graph is reducible: a loop that could be entered at several nodes is entered through a dispatch node that
 *   branches on the edge's label, as LLVM's WebAssembly backend does.
 * Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
 */
import { assert } from "../../base/index.ts";

export interface Edge {
  to: number;
  /** Which successor of the dispatch node `to` is meant. */
  label: number | undefined;
}

export interface Graph {
  readonly edges: Edge[][];
  /** Nodes from here on are dispatch nodes, not blocks. */
  readonly firstDispatch: number;
}

export interface OrderedGraph extends Graph {
  /** Nodes in reverse postorder, and each node's place in it. */
  readonly order: readonly number[];
  readonly position: Int32Array;
  readonly dominator: Int32Array;
  readonly predecessors: readonly (readonly number[])[];
  readonly isLoopHeader: Uint8Array;
  /** Reached by two or more forward edges. */
  readonly isMerge: Uint8Array;
}

/** `successors[node]` are node numbers; every node must be reachable from node 0. */
export function orderGraph(successors: readonly (readonly number[])[]): OrderedGraph {
  const edges = successors.map((list) => list.map((to): Edge => ({ to, label: undefined })));
  const firstDispatch = edges.length;
  makeReducible(edges, new Set(edges.keys()));
  return describe({ edges, firstDispatch });
}

/** A loop, the innermost header taken away, that can be entered at several nodes. */
export interface IrreducibleLoop {
  readonly nodes: ReadonlySet<number>;
  readonly entries: readonly number[];
}

/** The first such loop that is wanted, outermost first; undefined when there is none. */
export function findIrreducible(
  successors: readonly (readonly number[])[],
  isWanted: (loop: IrreducibleLoop) => boolean = () => true,
): IrreducibleLoop | undefined {
  const edges = successors.map((list) => list.map((to): Edge => ({ to, label: undefined })));
  const search = (nodes: ReadonlySet<number>): IrreducibleLoop | undefined => {
    for (const component of components(edges, nodes)) {
      if (component.length === 1) continue;
      const inside = new Set(component);
      const entries = entriesOf(edges, inside);
      if (entries.length > 1 && isWanted({ nodes: inside, entries })) return { nodes: inside, entries };
      for (const entry of entries) inside.delete(entry);
      const deeper = search(inside);
      if (deeper) return deeper;
    }
    return undefined;
  };
  return search(new Set(edges.keys()));
}

// ── Irreducible loops ─────────────────────────────────────────────────────────────────────────────────────────────

function makeReducible(edges: Edge[][], nodes: ReadonlySet<number>): void {
  for (const component of components(edges, nodes)) {
    const inside = new Set(component);
    if (component.length === 1) continue;
    const entries = entriesOf(edges, inside);
    if (entries.length > 1) addDispatch(edges, entries);
    else inside.delete(entries[0]!);
    makeReducible(edges, inside);
  }
}

function entriesOf(edges: readonly Edge[][], inside: ReadonlySet<number>): number[] {
  const entries = new Set<number>();
  if (inside.has(0)) entries.add(0);
  for (const [from, list] of edges.entries())
    if (!inside.has(from)) for (const { to } of list) if (inside.has(to)) entries.add(to);
  return [...entries].sort((a, b) => a - b);
}

/** Every edge to one of `entries` goes through a new node from now on. The region's entry stays node 0. */
function addDispatch(edges: Edge[][], entries: readonly number[]): void {
  const dispatch = edges.length;
  for (const list of edges)
    for (const edge of list) {
      const label = entries.indexOf(edge.to);
      if (label < 0) continue;
      edge.to = dispatch;
      edge.label = label;
    }
  edges.push(entries.map((to) => ({ to, label: undefined })));
}

/** Strongly connected components of the subgraph on `nodes` (Tarjan). */
export function components(edges: readonly Edge[][], nodes: ReadonlySet<number>): number[][] {
  const index = new Map<number, number>();
  const low = new Map<number, number>();
  const onStack = new Set<number>();
  const stack: number[] = [];
  const found: number[][] = [];
  const visit = (node: number): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    onStack.add(node);
    for (const { to } of edges[node]!) {
      if (!nodes.has(to)) continue;
      if (!index.has(to)) visit(to);
      if (onStack.has(to)) low.set(node, Math.min(low.get(node)!, low.get(to)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const component: number[] = [];
    for (;;) {
      const member = stack.pop()!;
      onStack.delete(member);
      component.push(member);
      if (member === node) break;
    }
    found.push(component);
  };
  for (const node of nodes) if (!index.has(node)) visit(node);
  return found;
}

/** The nodes of the loop with this header, itself included. */
export function loopBody(graph: OrderedGraph, header: number): ReadonlySet<number> {
  const { predecessors, position } = graph;
  const body = new Set([header]);
  const waiting = predecessors[header]!.filter((from) => position[from]! >= position[header]!);
  for (const node of waiting) {
    if (body.has(node)) continue;
    body.add(node);
    waiting.push(...predecessors[node]!);
  }
  return body;
}

// ── Order and dominators ──────────────────────────────────────────────────────────────────────────────────────────

function describe(graph: Graph): OrderedGraph {
  const { edges } = graph;
  const order = reversePostorder(edges);
  assert(order.length === edges.length, "jit: every node of a region is reachable from its entry");
  const position = new Int32Array(edges.length);
  for (const [place, node] of order.entries()) position[node] = place;
  const predecessors: number[][] = edges.map(() => []);
  for (const [from, list] of edges.entries()) for (const { to } of list) predecessors[to]!.push(from);
  const isLoopHeader = new Uint8Array(edges.length);
  const isMerge = new Uint8Array(edges.length);
  for (const node of order) {
    let forward = 0;
    for (const from of predecessors[node]!) {
      if (position[from]! >= position[node]!) isLoopHeader[node] = 1;
      else forward++;
    }
    if (forward > 1) isMerge[node] = 1;
  }
  const dominator = dominators(order, position, predecessors);
  return { ...graph, order, position, dominator, predecessors, isLoopHeader, isMerge };
}

function reversePostorder(edges: readonly Edge[][]): number[] {
  const seen = new Set<number>();
  const postorder: number[] = [];
  const visit = (node: number): void => {
    seen.add(node);
    for (const { to } of edges[node]!) if (!seen.has(to)) visit(to);
    postorder.push(node);
  };
  visit(0);
  return postorder.reverse();
}

function dominators(order: readonly number[], position: Int32Array, predecessors: readonly number[][]): Int32Array {
  const dominator = new Int32Array(order.length).fill(-1);
  dominator[0] = 0;
  const common = (a: number, b: number): number => {
    let [x, y] = [a, b];
    while (x !== y) {
      while (position[x]! > position[y]!) x = dominator[x]!;
      while (position[y]! > position[x]!) y = dominator[y]!;
    }
    return x;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of order) {
      if (node === 0) continue;
      let best = -1;
      for (const from of predecessors[node]!) if (dominator[from]! >= 0) best = best < 0 ? from : common(best, from);
      if (best === dominator[node]) continue;
      dominator[node] = best;
      changed = true;
    }
  }
  return dominator;
}
