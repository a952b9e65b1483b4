/** A way through a graph whose edges stand on the fewest reasons: Dijkstra's algorithm, with a list for each small distance. */
import type { AcyclicGraph } from "./acyclic.ts";

/** Edges of the way, or undefined when there is none. `weightOf` is how many reasons an edge stands on. */
export function fewestReasons(
  graph: AcyclicGraph,
  from: number,
  to: number,
  weightOf: (edge: number) => number,
): number[] | undefined {
  const distance = new Int32Array(graph.nodes).fill(-1);
  const by = new Int32Array(graph.nodes).fill(-1);
  const waiting: number[][] = [[from]];
  distance[from] = 0;
  const finished = new Uint8Array(graph.nodes);
  for (let reasons = 0; reasons < waiting.length; reasons++) {
    const nodes = waiting[reasons];
    for (let node = nodes?.pop(); node !== undefined; node = nodes?.pop()) {
      if (finished[node] === 1) continue;
      finished[node] = 1;
      if (node === to) return wayBack(graph, from, to, by);
      for (let edge = graph.firstOut(node); edge >= 0; edge = graph.nextOut(edge)) {
        const next = graph.endOf(edge);
        const further = reasons + weightOf(edge);
        if (distance[next]! >= 0 && distance[next]! <= further) continue;
        distance[next] = further;
        by[next] = edge;
        waiting[further] ??= [];
        waiting[further].push(next);
      }
    }
  }
  return undefined;
}

function wayBack(graph: AcyclicGraph, from: number, to: number, by: Int32Array): number[] {
  const way: number[] = [];
  for (let node = to; node !== from; node = graph.startOf(way.at(-1)!)) way.push(by[node]!);
  return way.reverse();
}
