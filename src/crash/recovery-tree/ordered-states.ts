/**
 * Crash states where stores persist in their order (strict): at a point, one cut through the stores of all lines. Always: a state
 * names every open line, since no line's content is free once the cut is chosen.
 */
import type { PlannedPoints } from "./plan-points.ts";
import type { PointView } from "./point-view.ts";

/** By line that does not keep every store: its content. */
export type OrderedState = ReadonlyMap<number, number>;

interface PendingStore {
  readonly seq: number;
  readonly line: number;
}

/** What lines hold that keep so many of their stores, pieces of wide ones counted each. */
function contentAfter({ points }: PlannedPoints, low: number, high: number, stores: number): number | undefined {
  const { cuts } = points.tables;
  for (let content = low; content <= high; content++) {
    const [kept, pieces] = [cuts[2 * content]!, cuts[2 * content + 1]!];
    // The first pieces of a store, and no others.
    const isPrefix = (pieces & (pieces + 1)) === 0;
    if (isPrefix && kept + Math.log2(pieces + 1) === stores) return content;
  }
  return undefined;
}

/** Of the point that the view stands at; only those that keep a store of `from` on, and all of them if nothing is given. */
export function* orderedStates(planned: PlannedPoints, { low, high }: PointView, from = 0): Iterable<OrderedState> {
  const { points, stores } = planned;
  const { cuts } = points.tables;
  const pending: PendingStore[] = [];
  const state = new Map<number, number>();
  const kept = new Map<number, number>();
  for (let line = 0; line < points.lines; line++) {
    const [first, last] = [cuts[2 * low[line]!]!, cuts[2 * high[line]!]!];
    if (first === last) continue;
    for (let at = first; at < last; at++) pending.push({ seq: stores.seq(line, at)!, line });
    state.set(line, low[line]!);
    kept.set(line, first);
  }
  pending.sort((a, b) => a.seq - b.seq);
  if (from === 0) yield new Map(state);
  for (const { seq, line } of pending) {
    kept.set(line, kept.get(line)! + 1);
    const content = contentAfter(planned, state.get(line)!, high[line]!, kept.get(line)!);
    if (content === undefined) continue;
    state.set(line, content);
    if (seq >= from) yield new Map([...state].filter(([each, held]) => held !== high[each]));
  }
}
