/**
 * Candidate executions of the axiomatic model: one trace per thread, who reads from whom, and a coherence order per
 * location. Branches that already contradict the model are cut off, unless the caller wants to see them.
 * Always: a graph handed on is complete (every reader has a source, every location an order).
 */
import type { ThreadId } from "../../base/index.ts";
import {
  addCoherence,
  addReadFrom,
  copyRelation,
  type Event,
  type Graph,
  INITIAL,
  isAcyclic,
  isLoad,
  isStore,
  type PmModel,
  preservedOrder,
  type Relation,
  recoveryNodes,
} from "../pmem/index.ts";
import { LimitReached, type Limits } from "./limits.ts";
import type { Location } from "./program.ts";
import type { Trace, TraceEvent } from "./traces.ts";

export interface Candidate {
  readonly graph: Graph;
  /** ppo, rfe, coe, fre, with room for recovery reads. */
  readonly visible: Relation;
  /** Final registers per thread. */
  readonly registers: readonly (readonly number[])[];
  readonly consistent: boolean;
}

interface Enumeration {
  readonly locations: readonly Location[];
  readonly memory: readonly number[];
  readonly model: PmModel;
  readonly limits: Limits;
  /** Hand on inconsistent graphs too. */
  readonly all: boolean;
  readonly found: (candidate: Candidate) => void;
  count: number;
}

export function enumerateCandidates(traces: readonly (readonly Trace[])[], options: Omit<Enumeration, "count">): void {
  const enumeration = { ...options, count: 0 };
  const chosen: Trace[] = [];
  const choose = (thread: number): void => {
    if (thread === traces.length) {
      enumerateGraphs(chosen, enumeration);
      return;
    }
    for (const trace of traces[thread] as readonly Trace[]) {
      chosen[thread] = trace;
      choose(thread + 1);
    }
  };
  choose(0);
}

function countOne(enumeration: Enumeration): void {
  enumeration.count++;
  const { candidates } = enumeration.limits;
  if (enumeration.count > candidates) throw new LimitReached("candidates", candidates);
}

function eventsOf(chosen: readonly Trace[], { locations, memory }: Enumeration): Event[] {
  const initial = locations.map(({ name, line }, address): Omit<Event, "id"> => {
    const value = memory[address] as number;
    return {
      thread: INITIAL,
      kind: "W",
      address,
      line: line as never,
      valueWritten: value,
      text: `initially ${name}=${value}`,
    };
  });
  const own = chosen.flatMap(({ events }, thread) =>
    events.map((event: TraceEvent): Omit<Event, "id"> => ({ ...event, thread: thread as ThreadId })),
  );
  return [...initial, ...own].map((event, id) => ({ ...event, id }));
}

function enumerateGraphs(chosen: readonly Trace[], enumeration: Enumeration): void {
  countOne(enumeration);
  if (!everyValueIsStored(chosen, enumeration)) return;
  const events = eventsOf(chosen, enumeration);
  const readers = events.filter(isLoad);
  const sources = readers.map((reader) => sourcesOf(reader, events, enumeration));
  if (sources.some((options) => options.length === 0)) return;
  const ppo = preservedOrder(events, enumeration.model, recoveryNodes(enumeration.locations.length));
  const readsFrom = events.map(() => -1);
  const registers = chosen.map((trace) => trace.registers);
  const orders = enumeration.locations.map((_, address) => coherenceOrders(address, events));

  const chooseSource = (next: number): void => {
    const reader = readers[next];
    if (reader === undefined) {
      chooseOrders(enumeration, events, readsFrom, registers, orders, ppo);
      return;
    }
    for (const source of sources[next] as readonly number[]) {
      readsFrom[reader.id] = source;
      chooseSource(next + 1);
    }
  };
  chooseSource(0);
}

/** A quick first test: each value read is stored by somebody. */
function everyValueIsStored(chosen: readonly Trace[], { memory }: Enumeration): boolean {
  const stored = new Set(memory.map((value, address) => `${address} ${value}`));
  for (const { events } of chosen)
    for (const { address, valueWritten } of events)
      if (valueWritten !== undefined) stored.add(`${address} ${valueWritten}`);
  return chosen.every(({ events }) =>
    events.every(({ address, valueRead }) => valueRead === undefined || stored.has(`${address} ${valueRead}`)),
  );
}

/** Stores a reader may read from: matching, and not hidden by a later store of its own thread. */
function sourcesOf(reader: Event, events: readonly Event[], { model }: Enumeration): number[] {
  const matching = events.filter(
    (store) =>
      isStore(store) &&
      store.id !== reader.id &&
      store.address === reader.address &&
      store.valueWritten === reader.valueRead,
  );
  const ownLast = events.findLast(
    (store) =>
      isStore(store) && store.thread === reader.thread && store.id < reader.id && store.address === reader.address,
  );
  return matching
    .filter((store) => {
      if (store.thread === reader.thread)
        return store.id < reader.id && (store === ownLast || model.without.has("PM-3"));
      return store.thread !== INITIAL || ownLast === undefined || model.without.has("PM-3");
    })
    .map((store) => store.id);
}

/** All merges of the threads' stores to an address, each thread's in program order, after the initial one. */
function coherenceOrders(address: number, events: readonly Event[]): number[][] {
  const queues = new Map<number, number[]>();
  for (const event of events)
    if (isStore(event) && event.address === address)
      queues.set(event.thread, [...(queues.get(event.thread) ?? []), event.id]);
  const initial = queues.get(INITIAL) ?? [];
  queues.delete(INITIAL);
  return mergesOf([...queues.values()]).map((merged) => [...initial, ...merged]);
}

function mergesOf(queues: readonly (readonly number[])[]): number[][] {
  const left = queues.filter((queue) => queue.length > 0);
  if (left.length === 0) return [[]];
  return left.flatMap((queue) => {
    const rest = left.map((other) => (other === queue ? queue.slice(1) : other));
    return mergesOf(rest).map((merged) => [queue[0] as number, ...merged]);
  });
}

function chooseOrders(
  enumeration: Enumeration,
  events: readonly Event[],
  readsFrom: readonly number[],
  registers: readonly (readonly number[])[],
  orders: readonly (readonly (readonly number[])[])[],
  ppo: Relation,
): void {
  const { model, all } = enumeration;
  const visible = copyRelation(ppo);
  const coherence = new Map<number, readonly number[]>();
  const graph: Graph = { events, readsFrom: readsFrom.slice(), coherence };
  let sound = true;
  for (const event of events)
    if ((readsFrom[event.id] as number) >= 0 && !addReadFrom(visible, graph, event.id, model)) sound = false;
  if (!all && !(sound && isAcyclic(visible))) return;

  const chooseOrder = (address: number, before: Relation, soundSoFar: boolean): void => {
    countOne(enumeration);
    if (address === orders.length) {
      const handed = { ...graph, coherence: new Map(coherence) };
      enumeration.found({ graph: handed, visible: before, registers, consistent: soundSoFar });
      return;
    }
    for (const order of orders[address] as readonly (readonly number[])[]) {
      coherence.set(address, order);
      const after = copyRelation(before);
      const coherent = addCoherence(after, graph, address, model) && isAcyclic(after);
      if (all || coherent) chooseOrder(address + 1, after, soundSoFar && coherent);
    }
    coherence.delete(address);
  };
  chooseOrder(0, visible, sound);
}
