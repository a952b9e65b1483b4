/**
 * Where fuel is checked and how it is counted. At a checked node the longest path to the next check is taken off at
 * once; an edge onto a shorter path gives the difference back. So a loop of one path counts with its check alone.
 * Always: at a block's start the fuel in hand is the true fuel less `reserve`, and true fuel is never negative.
 */
import type { OrderedGraph } from "./graph.ts";

export interface FuelPlan {
  readonly isChecked: Uint8Array;
  /** Instructions on the longest path from the block's start to the next check. */
  readonly reserve: Int32Array;
}

/** Longer paths get another check, so that a small rest of fuel does not keep a region from running. */
const maxReserve = 256;

export function planFuel(
  graph: OrderedGraph,
  cost: (node: number) => number,
  mustCheck: ReadonlySet<number>,
): FuelPlan {
  const { edges, order, position, isLoopHeader, firstDispatch } = graph;
  const isChecked = new Uint8Array(edges.length);
  const reserve = new Int32Array(edges.length);
  isChecked[0] = 1;
  for (const node of mustCheck) isChecked[node] = 1;
  for (const node of order) {
    if (node < firstDispatch) isChecked[node]! |= isLoopHeader[node]!;
    else for (const { to } of edges[node]!) if (to < firstDispatch) isChecked[to] = 1;
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (const node of order.toReversed()) {
      const own = node < firstDispatch ? cost(node) : 0;
      const forward = edges[node]!.filter(({ to }) => !isChecked[to] && position[to]! > position[node]!);
      const rest = forward.reduce((most, { to }) => Math.max(most, reserve[to]!), 0);
      reserve[node] = own + rest;
      if (own + rest <= maxReserve) continue;
      for (const { to } of forward) {
        if (to >= firstDispatch) continue;
        isChecked[to] = 1;
        changed = true;
      }
    }
  }
  return { isChecked, reserve };
}

/** What an edge gives back: the reserve that its path does not need. */
export const refundOf = (plan: FuelPlan, left: number, to: number): number =>
  left - (plan.isChecked[to] ? 0 : plan.reserve[to]!);
