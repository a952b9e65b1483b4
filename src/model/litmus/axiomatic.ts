/**
 * Everything one phase can leave behind according to the axiomatic model. Crashes at any point are judged on full graphs
 * through recovery reads; with `partial` on interrupted graphs through dtpo instead, the slow twin the tests compare with.
 */
import { type Graph, mayRecover, type Relation, type Scope } from "../pmem/index.ts";
import { type Candidate, enumerateCandidates } from "./candidates.ts";
import type { Limits } from "./limits.ts";
import type { Machine } from "./machine.ts";
import { finalKey, memoryPrinter, noOutcomes, type PhaseOutcomes } from "./outcomes.ts";
import { prefixesOf, tracesOf } from "./traces.ts";

/** Every choice of one surviving store per location. */
export function* recoveriesOf(graph: Graph): Generator<Map<number, number>> {
  const addresses = [...graph.coherence.keys()];
  const recovered = new Map<number, number>();
  function* choose(next: number): Generator<Map<number, number>> {
    const address = addresses[next];
    if (address === undefined) {
      yield recovered;
      return;
    }
    for (const store of graph.coherence.get(address) as readonly number[]) {
      recovered.set(address, store);
      yield* choose(next + 1);
    }
  }
  yield* choose(0);
}

const valueStored = (graph: Graph, store: number): number => graph.events[store]?.valueWritten as number;

export function contentsOf(graph: Graph, recovered: ReadonlyMap<number, number>, memory: readonly number[]): number[] {
  return memory.map((value, address) => {
    const store = recovered.get(address);
    return store === undefined ? value : valueStored(graph, store);
  });
}

export function finalMemory(graph: Graph, memory: readonly number[]): number[] {
  const last = new Map([...graph.coherence].map(([address, stores]) => [address, stores.at(-1) as number]));
  return contentsOf(graph, last, memory);
}

export interface AxiomaticOptions {
  readonly partial: boolean;
}

export function axiomaticOutcomes(
  machine: Machine,
  limits: Limits,
  { partial }: AxiomaticOptions = { partial: false },
): PhaseOutcomes {
  const { locations, phase, memory, model } = machine;
  const outcomes = noOutcomes();
  const print = memoryPrinter(locations);
  const collect = (
    graph: Graph,
    visible: Relation,
    scope: Scope,
    known: { has(key: string): boolean },
    prefix: string,
    add: (key: string, contents: number[]) => void,
  ) => {
    for (const recovered of recoveriesOf(graph)) {
      const contents = contentsOf(graph, recovered, memory);
      const key = prefix + print(contents);
      if (!known.has(key) && mayRecover(graph, visible, recovered, scope, model)) add(key, contents);
    }
  };
  const collectAny =
    (scope: Scope) =>
    ({ graph, visible }: Candidate) =>
      collect(graph, visible, scope, outcomes.any, "", (key, contents) => outcomes.any.set(key, contents));

  const traces = tracesOf(locations, phase, memory, model, limits);
  const enumeration = { locations, memory, model, limits, all: false };
  enumerateCandidates(traces, {
    ...enumeration,
    found: (candidate) => {
      const { graph, visible, registers } = candidate;
      if (!partial) collectAny("observed")(candidate);
      const final = { memory: finalMemory(graph, memory), registers };
      const prefix = finalKey(final);
      outcomes.final.set(prefix, final);
      collect(graph, visible, "end", outcomes.end, `${prefix}|`, (key, recovered) =>
        outcomes.end.set(key, { ...final, recovered }),
      );
    },
  });
  if (partial) enumerateCandidates(traces.map(prefixesOf), { ...enumeration, found: collectAny("partial") });
  return outcomes;
}
