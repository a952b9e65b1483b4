/**
 * Which contents of memory a crash may leave, as constraints on a graph (docs/MODEL.md, section 3; DPTSOsyn with lines,
 * clflushopt and fences). Recovery reads its stores through *cuts*: everything in `before` took effect, or survived,
 * before everything in `after`, which was lost. Two formulations of one constraint:
 * - dtpo: before × after, as in DPTSOsyn; used on partial graphs and at the end of a run;
 * - recovery reads: a node per cut with fb and rf into it and fr out of it; used on full graphs.
 */
import type { Line } from "../../../base/index.ts";
import { failedCasIsLoad, type PmModel } from "../model.ts";
import {
  type Event,
  type EventKind,
  type Graph,
  inProgramOrder,
  isInitial,
  type Recovered,
  sourcesOf,
} from "./graph.ts";
import {
  addAll,
  addPair,
  closureOf,
  copyRelation,
  emptyRelation,
  hasPair,
  isAcyclic,
  type Relation,
} from "./relation.ts";

/**
 * observed: the graph is a whole run, and the crash came some time after what recovery can tell took effect.
 * partial: the graph holds just what was executed. end: everything took effect before the crash.
 */
export type Scope = "observed" | "partial" | "end";

export interface Cut {
  readonly line: Line | "all";
  readonly flushes: readonly number[];
  readonly kept: readonly number[];
  readonly lost: readonly number[];
}

/** How many recovery nodes a graph over so many addresses may need. */
export const recoveryNodes = (addresses: number): number => addresses + 1;

export function cutsOf(graph: Graph, recovered: Recovered, scope: Scope, model: PmModel): Cut[] {
  const flushes = completedFlushes(graph, recovered, scope, model);
  const lines = new Map<Line, { kept: number[]; lost: number[] }>();
  for (const [address, store] of recovered) {
    const stores = graph.coherence.get(address) ?? [];
    const line = (graph.events[store] as Event).line as Line;
    const group = lines.get(line) ?? { kept: [], lost: [] };
    group.kept.push(store);
    group.lost.push(...stores.slice(stores.indexOf(store) + 1));
    lines.set(line, group);
  }
  const platform = model.platform === "eadr" && model.without.has("PM-32") ? "px86" : model.platform;
  const kept = [...lines.values()].flatMap((group) => group.kept);
  const lost = [...lines.values()].flatMap((group) => group.lost);
  const whole: Cut = { line: "all", flushes: [], kept, lost };
  if (platform === "eadr") return [whole];
  const oneCut = platform === "strict" || model.without.has("PM-25");
  const perLine = [...lines].map(([line, group]): Cut => {
    const flushed = flushes.filter((flush) => (graph.events[flush] as Event).line === line);
    const tied = oneCut || model.without.has("PM-24") ? [] : group.kept;
    return { line, flushes: flushed, kept: tied, lost: group.lost };
  });
  return oneCut ? [...perLine, whole] : perLine;
}

/** PM-11 to PM-21. The flushes that had completed when the power failed. */
function completedFlushes(graph: Graph, recovered: Recovered, scope: Scope, model: PmModel): number[] {
  const { without } = model;
  const everything = scope !== "observed" || without.has("PM-30");
  const seen = everything ? () => true : observed(graph, recovered);
  const fences = graph.events.filter((event) => fenceKinds(model).has(event.kind) && seen(event));
  const completes = (flush: Event) => (fence: Event) =>
    without.has("PM-21") ? fence.thread !== flush.thread || flush.id < fence.id : inProgramOrder(flush, fence);
  return graph.events
    .filter((event) => {
      if (event.kind === "FL") return seen(event) && !without.has("PM-12") && (everything || !without.has("PM-11"));
      if (event.kind !== "FO") return false;
      return without.has("PM-17") ? seen(event) : fences.some(completes(event));
    })
    .map((event) => event.id);
}

/** The kinds of events that complete earlier flushes of their thread. */
export function fenceKinds(model: PmModel): ReadonlySet<EventKind> {
  const kinds = new Set<EventKind>();
  if (!model.without.has("PM-18")) kinds.add("SF");
  if (!model.without.has("PM-19")) kinds.add("MF");
  if (!model.without.has("PM-20")) kinds.add("U");
  if (!failedCasIsLoad(model) && !model.without.has("PM-20")) kinds.add("X");
  return kinds;
}

/** The porf-prefix of what was recovered, itself included: a recovered store proves that all of it was executed. */
function observed(graph: Graph, recovered: Recovered): (event: Event) => boolean {
  const lastSeen = new Map<number, number>();
  const queue = [...recovered.values()];
  for (const id of queue) {
    const { thread } = graph.events[id] as Event;
    const known = lastSeen.get(thread) ?? -1;
    if (id <= known) continue;
    lastSeen.set(thread, id);
    for (let before = id; before > known && graph.events[before]?.thread === thread; before--) {
      if (graph.readsFrom[before]! >= 0) queue.push(...sourcesOf(graph, before).values());
    }
  }
  return (event) => event.id <= (lastSeen.get(event.thread) ?? -1);
}

/** dtpo: completed flushes and kept stores of a line come before its lost stores. */
export function dtpoOf(size: number, cuts: readonly Cut[]): Relation {
  const dtpo = emptyRelation(size);
  for (const { flushes, kept, lost } of cuts)
    for (const before of [...flushes, ...kept]) for (const after of lost) addPair(dtpo, before, after);
  return dtpo;
}

/** The recovery-read form: fb and rf into a node per cut, fr out of it. `first` is the first free node. */
export function addRecoveryReads(order: Relation, first: number, cuts: readonly Cut[]): void {
  cuts.forEach(({ flushes, kept, lost }, index) => {
    for (const before of [...flushes, ...kept]) addPair(order, before, first + index);
    for (const after of lost) addPair(order, first + index, after);
  });
}

/** Whether a crash may leave these stores, given the visible order of a consistent graph with room for the cuts. */
export function mayRecover(
  graph: Graph,
  visible: Relation,
  recovered: Recovered,
  scope: Scope,
  model: PmModel,
): boolean {
  const cuts = cutsOf(graph, recovered, scope, model);
  if (scope === "end" && model.platform === "eadr" && !model.without.has("PM-32"))
    return cuts.every(({ lost }) => lost.length === 0);
  if (model.without.has("PM-29") && !isFlushed(graph, visible, recovered, cuts)) return false;
  const order = copyRelation(visible);
  if (scope === "observed") addRecoveryReads(order, graph.events.length, cuts);
  else addAll(order, dtpoOf(visible.size, cuts));
  return isAcyclic(order);
}

/** What PM-29 left out would demand: nothing survives that no completed flush covers. */
function isFlushed(graph: Graph, visible: Relation, recovered: Recovered, cuts: readonly Cut[]): boolean {
  const closed = closureOf(visible);
  const flushes = cuts.flatMap((cut) => cut.flushes);
  return [...recovered.values()].every((store) => {
    const { line } = graph.events[store] as Event;
    if (isInitial(graph.events[store] as Event)) return true;
    return flushes.some((flush) => (graph.events[flush] as Event).line === line && hasPair(closed, store, flush));
  });
}
