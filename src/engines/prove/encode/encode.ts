/** A program's executions and what crashes leave of them as one formula: constraints over terms, and a problem for the theory of order. */

import type { PmModel } from "../../../model/pmem/index.ts";
import type { FromRead, OrderProblem, Term, Terms } from "../../../smt/index.ts";
import { comesBefore, type EventGraph, isInitialEvent, type ProgramEvent, threadsOf } from "../events/events.ts";
import { Atoms } from "./atoms.ts";
import { type Encoding, type Overwrite, overwrites, Pieces, readsFrom, type StoreRead } from "./communication.ts";
import { type CrashEncoding, crash } from "./crash.ts";
import { programOrder } from "./program-order.ts";

export interface Encoded {
  readonly problem: OrderProblem;
  /** The theory's atoms. */
  readonly atoms: readonly Term[];
  readonly constraints: readonly Term[];
  /** Where an execution found by the solver is read off. */
  readonly executed: (event: ProgramEvent) => Term;
  /** By piece of the load. */
  readonly sources: ReadonlyMap<ProgramEvent, readonly (readonly StoreRead[])[]>;
  readonly overwrites: readonly Overwrite[];
  /** For each read of recovery. */
  readonly recovered: readonly (readonly StoreRead[])[];
}

export interface EncodeOptions {
  readonly model: PmModel;
  readonly encoding: CrashEncoding;
}

export type { CrashEncoding } from "./crash.ts";

export function encode(terms: Terms, graph: EventGraph, { model, encoding }: EncodeOptions): Encoded {
  const { events } = graph;
  const constraints: Term[] = [];
  const atoms = new Atoms(terms);
  const executed = encoding === "partial" ? beforeCrash(terms, events, constraints) : reachedBy;
  const into: Encoding = {
    ...{ terms, model, atoms, events, executed, constraints, pieces: new Pieces(events) },
    ...{ edges: [], steps: [], reads: [], orders: [] },
  };
  const sources = readsFrom(into);
  const overwritten = overwrites(into);
  into.edges.push(...programOrder(terms, events, executed, model, atoms));
  for (const thread of threadsOf(events))
    for (const [index, event] of thread.slice(1).entries())
      into.steps.push({ from: thread[index]!.id, to: event.id, because: [] });
  const { sources: recovered, nodes, seen, unseen } = crash(into, graph.recovery, encoding);
  const problem: OrderProblem = {
    ...{
      atoms: atoms.variables.length,
      nodes,
      pieces: into.pieces.count,
      edges: into.edges,
      reads: into.reads,
      orders: into.orders,
    },
    ...{ steps: into.steps, unseen },
    ...(unseen.length > 0 && { seen }),
    fromRead: fromReads(events, model, encoding),
  };
  return {
    ...{ problem, atoms: atoms.variables, constraints: [...constraints, ...atoms.definitions] },
    ...{ executed, sources, overwrites: overwritten, recovered },
  };
}

const reachedBy = ({ reached }: ProgramEvent): Term => reached;

/** A crash cuts each thread off somewhere. Nothing is gained by an end in loads: they only restrict. */
function beforeCrash(
  terms: Terms,
  events: readonly ProgramEvent[],
  constraints: Term[],
): (event: ProgramEvent) => Term {
  const executed = new Map<ProgramEvent, Term>();
  for (const event of events) if (isInitialEvent(event)) executed.set(event, terms.true);
  for (const thread of threadsOf(events)) {
    let next = terms.false;
    for (const event of thread.toReversed()) {
      if (event.kind !== "R") {
        const before = terms.variable("bool", `executed ${event.id}`);
        constraints.push(terms.implies(next, before));
        next = before;
      }
      executed.set(event, terms.and(event.reached, next));
    }
  }
  return (event) => executed.get(event)!;
}

/** PM-3, PM-5. fr within a thread must follow program order; between threads it orders; recovery comes before what it lost. */
function fromReads(
  events: readonly ProgramEvent[],
  model: PmModel,
  encoding: CrashEncoding,
): (reader: number, store: number) => FromRead {
  const recovered: FromRead =
    encoding === "end" && model.platform === "eadr" && !model.without.has("PM-32") ? "impossible" : "edge";
  return (reader, store) => {
    const load = events[reader];
    const overwriting = events[store]!;
    if (load === undefined) return recovered;
    if (load.thread !== overwriting.thread) return model.without.has("PM-5") ? "nothing" : "edge";
    return comesBefore(overwriting, load) && !model.without.has("PM-3") ? "impossible" : "nothing";
  };
}
