/**
 * The order in which events become visible: ppo, external rf, co and fr (docs/MODEL.md, PM-1 to PM-8). A graph is
 * consistent as far as running programs can tell when communication inside a thread follows program order and this
 * order has no cycle. The pieces can be added one by one, so that an enumeration can give up early.
 */
import type { PmModel } from "../model.ts";
import { coherencePairs, type Event, type Graph, inProgramOrder, isInternal, sourcesOf } from "./graph.ts";
import { isPreserved } from "./order.ts";
import { addPair, emptyRelation, isAcyclic, type Relation } from "./relation.ts";

/** ppo as a relation with room for `spare` more nodes (recovery reads). */
export function preservedOrder(events: readonly Event[], model: PmModel, spare: number): Relation {
  const order = emptyRelation(events.length + spare);
  for (const earlier of events)
    for (const later of events)
      if (inProgramOrder(earlier, later) && isPreserved(earlier, later, model)) addPair(order, earlier.id, later.id);
  return order;
}

/** PM-3, PM-4. rf of one reader. False when a thread would read its own later store. */
export function addReadFrom(order: Relation, graph: Graph, reader: number, model: PmModel): boolean {
  const load = graph.events[reader] as Event;
  let coherent = true;
  for (const source of sourcesOf(graph, reader).values()) {
    const store = graph.events[source] as Event;
    if (!isInternal(store, load) || model.without.has("PM-4")) addPair(order, store.id, load.id);
    if (isInternal(store, load) && !inProgramOrder(store, load)) coherent = false;
  }
  return coherent;
}

/** PM-3, PM-5, PM-7. co and fr of one address. False when they contradict program order inside a thread. */
export function addCoherence(order: Relation, graph: Graph, address: number, model: PmModel): boolean {
  const stores = graph.coherence.get(address) ?? [];
  let coherent = true;
  const relate = (from: Event, to: Event, external: boolean) => {
    if (!isInternal(from, to)) {
      if (external) addPair(order, from.id, to.id);
    } else if (!inProgramOrder(from, to)) coherent = false;
  };
  for (const [earlier, later] of coherencePairs(stores))
    relate(graph.events[earlier] as Event, graph.events[later] as Event, true);
  for (const [reader, store] of fromReads(graph, address, model))
    relate(graph.events[reader] as Event, graph.events[store] as Event, !model.without.has("PM-5"));
  return coherent || model.without.has("PM-3");
}

/** fr: a reader before every store that overwrites what it read. */
export function* fromReads(graph: Graph, address: number, model: PmModel): Generator<[reader: number, store: number]> {
  const stores = graph.coherence.get(address) ?? [];
  for (const load of graph.events) {
    if (graph.readsFrom[load.id]! < 0) continue;
    const source = sourcesOf(graph, load.id).get(address);
    if (source === undefined) continue;
    const from = load.kind === "U" && model.without.has("PM-7") ? stores.indexOf(load.id) : stores.indexOf(source);
    for (const store of stores.slice(from + 1)) if (store !== load.id) yield [load.id, store];
  }
}

/** All of it at once; undefined when the graph is not consistent. */
export function visibleOrder(graph: Graph, model: PmModel, spare = 0): Relation | undefined {
  const { order, coherent } = unjudgedOrder(graph, model, spare);
  return coherent && isAcyclic(order) ? order : undefined;
}

/** The same edges without judging them, to show what is wrong with a graph. */
export function unjudgedOrder(graph: Graph, model: PmModel, spare = 0): { order: Relation; coherent: boolean } {
  const order = preservedOrder(graph.events, model, spare);
  let coherent = true;
  for (const event of graph.events)
    if ((graph.readsFrom[event.id] as number) >= 0 && !addReadFrom(order, graph, event.id, model)) coherent = false;
  for (const address of graph.coherence.keys()) if (!addCoherence(order, graph, address, model)) coherent = false;
  return { order, coherent };
}
