/** The relations of a graph by the names the literature gives them, as pairs of events; for showing, not for judging. */
import type { PmModel } from "../model.ts";
import { coherencePairs, type Graph, inProgramOrder, isInternal, sourcesOf } from "./graph.ts";
import { isPreserved } from "./order.ts";
import { type Cut, dtpoOf } from "./persist.ts";
import { addAll, addPair, closureOf, emptyRelation, pairsOf, type Relation } from "./relation.ts";
import { fromReads } from "./visible.ts";

/** fb pairs a completed flush with the stores recovery found in its line. */
export const relationNames = ["po", "ppo", "rf", "co", "fr", "fb", "dtpo", "ob", "porf"] as const;
export type RelationName = (typeof relationNames)[number];
export type Pairs = readonly (readonly [from: number, to: number])[];

export function namedRelations(graph: Graph, cuts: readonly Cut[], model: PmModel): Record<RelationName, Pairs> {
  const { events, readsFrom, coherence } = graph;
  const size = events.length;
  const relation = (pairs: Iterable<readonly [number, number]>): Relation => {
    const made = emptyRelation(size);
    for (const [from, to] of pairs) addPair(made, from, to);
    return made;
  };
  const all = events.flatMap((a) => events.map((b) => [a, b] as const));
  const ordered = all.filter(([a, b]) => inProgramOrder(a, b));
  const ids = (pairs: typeof all) => pairs.map(([a, b]) => [a.id, b.id] as const);
  const po = ids(ordered);
  const ppo = ids(ordered.filter(([a, b]) => isPreserved(a, b, model)));
  const rf = events.flatMap(({ id }) =>
    readsFrom[id]! < 0 ? [] : [...sourcesOf(graph, id).values()].map((from) => [from, id] as const),
  );
  const co = [...coherence.values()].flatMap((order) => [...coherencePairs(order)]);
  const fr = [...coherence.keys()].flatMap((address) => [...fromReads(graph, address, model)]);
  const fb = cuts.flatMap(({ flushes, kept }) =>
    flushes.flatMap((flush) => kept.map((store) => [flush, store] as const)),
  );
  const dtpo = dtpoOf(size, cuts);
  const external = [...rf, ...co, ...fr].filter(([from, to]) => !isInternal(events[from]!, events[to]!));
  const ob = relation([...ppo, ...external]);
  addAll(ob, dtpo);
  return {
    po,
    ppo,
    rf,
    co,
    fr,
    fb,
    dtpo: pairsOf(dtpo),
    ob: pairsOf(closureOf(ob)),
    porf: pairsOf(closureOf(relation([...po, ...rf]))),
  };
}
