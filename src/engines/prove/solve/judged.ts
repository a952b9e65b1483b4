/**
 * What the solver found, read off as an execution of the axiomatic model and judged by it once more. The encoding and the theory
 * of order are never trusted about an execution: what the model forbids is a mistake of ours.
 */
import { assert, type Line } from "../../../base/index.ts";
import {
  type Event,
  type Graph,
  INITIAL,
  mayRecover,
  type PmModel,
  recoveryNodes,
  type Scope,
  visibleOrder,
} from "../../../model/pmem/index.ts";
import type { Solver, Term } from "../../../smt/index.ts";
import type { StoreRead } from "../encode/communication.ts";
import type { Encoded, EncodeOptions } from "../encode/encode.ts";
import { type EventGraph, type ProgramEvent, piecesOf } from "../events/events.ts";

const scopes: Readonly<Record<EncodeOptions["encoding"], Scope>> = { partial: "partial", full: "observed", end: "end" };

export interface FoundExecution {
  readonly graph: Graph;
  /** By address: the store that recovery finds. */
  readonly recovered: ReadonlyMap<number, number>;
}

/** `numberOf` makes a litmus value, or any other number, of what a term is worth. */
export type NumberOf = (value: bigint) => number;

export function executionOf(program: EventGraph, encoded: Encoded, solver: Solver, numberOf: NumberOf): FoundExecution {
  const holds = (term: Term) => solver.value(term) === 1n;
  const executed = program.events.filter((event) => holds(encoded.executed(event)));
  const ids = new Map(executed.map((event, id) => [event, id]));
  const failed = (event: ProgramEvent) => event.fails !== undefined && holds(event.fails);
  const events = executed.map((event, id): Event => {
    const { thread, kind, place, found, stored, text } = event;
    const writes = stored !== undefined && !failed(event);
    return {
      ...{ id, thread, text, kind: failed(event) ? "X" : kind },
      ...(place !== undefined && {
        address: Number(solver.value(place.address)),
        line: Number(solver.value(place.line)) as Line,
      }),
      ...(found !== undefined && { valueRead: numberOf(solver.value(found)) }),
      ...(writes && { valueWritten: numberOf(solver.value(stored)) }),
    };
  });
  const chosen = (sources: readonly StoreRead[]): number => {
    const source = sources.find(({ condition }) => holds(condition));
    assert(source !== undefined, "what is read comes from a store");
    return ids.get(source.store)!;
  };
  const addressesOf = (event: ProgramEvent) => piecesOf(event).map(({ place }) => Number(solver.value(place.address)));
  const readsFrom = executed.map((event) => {
    const sources = encoded.sources.get(event);
    return sources === undefined ? -1 : chosen(sources[0]!);
  });
  const cut = executed.flatMap((event, id) => {
    const sources = encoded.sources.get(event);
    if (sources === undefined || sources.length === 1) return [];
    const addresses = addressesOf(event);
    return [[id, new Map(sources.map((source, index) => [addresses[index]!, chosen(source)]))] as const];
  });
  const stored = executed.map((event, id) => (events[id]!.valueWritten === undefined ? [] : addressesOf(event)));
  const graph: Graph = {
    ...{ events, readsFrom, coherence: coherenceOf(stored, overwritten(encoded, ids, holds)) },
    ...(cut.length > 0 && { readByPiece: new Map(cut) }),
  };
  assertFirst(graph);
  const recovered = new Map<number, number>();
  program.recovery.forEach(({ place, when }, index) => {
    if (holds(when)) recovered.set(Number(solver.value(place.address)), chosen(encoded.recovered[index]!));
  });
  return { graph, recovered };
}

/** By store: those that it overwrites. */
function overwritten(
  { overwrites }: Encoded,
  ids: ReadonlyMap<ProgramEvent, number>,
  holds: (term: Term) => boolean,
): ReadonlyMap<number, ReadonlySet<number>> {
  const before = new Map<number, Set<number>>();
  for (const { earlier, later, condition } of overwrites) {
    if (!holds(condition)) continue;
    const id = ids.get(later)!;
    before.set(id, (before.get(id) ?? new Set()).add(ids.get(earlier)!));
  }
  return before;
}

/** The stores of each address, each after those that it overwrites. `stored` are the addresses by store. */
function coherenceOf(
  stored: readonly (readonly number[])[],
  before: ReadonlyMap<number, ReadonlySet<number>>,
): Map<number, number[]> {
  const orders = new Map<number, number[]>();
  for (const [id, addresses] of stored.entries())
    for (const address of addresses) orders.set(address, [...(orders.get(address) ?? []), id]);
  for (const order of orders.values()) {
    const rank = new Map(order.map((id) => [id, order.filter((other) => before.get(id)?.has(other)).length]));
    order.sort((a, b) => rank.get(a)! - rank.get(b)!);
    assert(
      order.every((id, index) => rank.get(id) === index),
      "the stores of an address overwrite one another in one order",
    );
  }
  return orders;
}

function assertFirst({ events, coherence }: Graph): void {
  for (const [first] of coherence.values())
    assert(events[first!]!.thread === INITIAL, "memory's first contents are overwritten first");
}

/** Asserts that the model allows an execution, and that a crash in it leaves what was found. */
export function judgeAgain(
  { graph, recovered }: FoundExecution,
  { encoding, model }: { readonly encoding: EncodeOptions["encoding"]; readonly model: PmModel },
): void {
  const visible = visibleOrder(graph, model, recoveryNodes(recovered.size));
  assert(visible !== undefined, "the model allows every execution that the solver finds");
  assert(
    mayRecover(graph, visible, recovered, scopes[encoding], model),
    "the model allows what recovery finds in an execution of the solver",
  );
}
