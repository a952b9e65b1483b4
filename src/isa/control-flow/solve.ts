/** Facts that flow forwards through a function until nothing changes any more. */
import { assert } from "../../base/index.ts";
import type { FlowBlock, FunctionFlow } from "./recover.ts";

export interface Analysis<State> {
  /** What holds where a block is entered from outside the function. */
  atRoot(address: number): State;
  /** What holds after a block, and on the way to one of its successors. */
  through(flowBlock: FlowBlock, before: State, successor: number): State;
  /** What holds where two ways meet. `known` is the older one: the result is `known` itself when nothing is new. */
  merge(known: State, added: State, at: number): State;
  /** What holds when nothing can be said: taken for a block that keeps changing. */
  atWorst(address: number): State;
}

/** An analysis with long chains is cut off here, and says nothing about the block. */
const MAX_VISITS = 64;

/** What holds at the beginning of each block that can be reached. */
export function solveForward<State>(flow: FunctionFlow, analysis: Analysis<State>): ReadonlyMap<number, State> {
  const states = new Map<number, State>(flow.roots.map((root) => [root, analysis.atRoot(root)]));
  const visits = new Map<number, number>();
  const order = reversePostorder(flow);
  const waiting = new Set(flow.roots);
  assert(
    flow.roots.every((root) => flow.blocks.has(root)),
    "flow: a root is a block",
  );
  while (waiting.size > 0) {
    for (const at of order) {
      if (!waiting.delete(at)) continue;
      const flowBlock = flow.blocks.get(at);
      const before = states.get(at);
      assert(flowBlock !== undefined && before !== undefined, "flow: a block that waits is known and was reached");
      for (const successor of flowBlock.successors) {
        const added = analysis.through(flowBlock, before, successor);
        const known = states.get(successor);
        const merged = known === undefined ? added : analysis.merge(known, added, successor);
        if (merged === known) continue;
        const count = (visits.get(successor) ?? 0) + 1;
        visits.set(successor, count);
        if (count > MAX_VISITS + 1) continue;
        states.set(successor, count > MAX_VISITS ? analysis.atWorst(successor) : merged);
        waiting.add(successor);
      }
    }
  }
  return states;
}

/** Before a block come those it is reached from, loops aside. */
export function reversePostorder({ blocks, roots }: FunctionFlow): readonly number[] {
  const seen = new Set<number>();
  const postorder: number[] = [];
  for (const root of roots.toReversed()) {
    const path: { readonly at: number; next: number }[] = [];
    const enter = (at: number) => {
      if (seen.has(at) || !blocks.has(at)) return;
      seen.add(at);
      path.push({ at, next: 0 });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const successor = blocks.get(top.at)?.successors[top.next++];
      if (successor !== undefined) enter(successor);
      else postorder.push((path.pop() as { at: number }).at);
    }
  }
  return postorder.reverse();
}
