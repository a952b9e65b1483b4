/**
 * The theory's slow twin: all edges that hold, collected anew, and a search through them. It shares nothing with the theory but the
 * problem; proofs are checked with it.
 */
import type { Literal } from "../theory.ts";
import type { OrderProblem } from "./problem.ts";

/** Whether the problem allows that these literals hold, as far as can be said without the others. */
export function allowsOrder(problem: OrderProblem, held: readonly Literal[]): boolean {
  const known = new Set(held);
  const holds = (literal: Literal) => literal === 0 || known.has(literal);
  const active = (edges: OrderProblem["edges"]) => edges.filter(({ because }) => because.every(holds));
  const pairs: [from: number, to: number][] = active(problem.edges).map(({ from, to }) => [from, to]);
  for (const read of problem.reads)
    for (const order of problem.orders) {
      if (read.piece !== order.piece || read.reader === order.later) continue;
      if (!holds(read.literal) || !holds(order.literal)) continue;
      const relation = problem.fromRead(read.reader, order.later);
      if (relation === "impossible") return false;
      if (relation === "edge") pairs.push([read.reader, order.later]);
    }
  const outOf = neighbours(problem.nodes, pairs);
  for (let node = 0; node < problem.nodes; node++) if (reachedFrom(outOf, node).has(node)) return false;
  const steps = neighbours(
    problem.nodes,
    active(problem.steps).map(({ from, to }) => [from, to]),
  );
  const { seen } = problem;
  return problem.unseen.every(
    ({ node, literal }) =>
      seen === undefined || !holds(literal) || (node !== seen && !reachedFrom(steps, node).has(seen)),
  );
}

function neighbours(nodes: number, pairs: readonly (readonly [number, number])[]): number[][] {
  const outOf: number[][] = Array.from({ length: nodes }, () => []);
  for (const [from, to] of pairs) outOf[from]!.push(to);
  return outOf;
}

/** What can be reached over one edge or more. */
function reachedFrom(outOf: readonly (readonly number[])[], start: number): Set<number> {
  const reached = new Set<number>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const next of outOf[node]!)
      if (!reached.has(next)) {
        reached.add(next);
        open.push(next);
      }
  return reached;
}
