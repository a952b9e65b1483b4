/** Executions judged by src/engines/robust, and by mutants of it that a comparison must tell apart. */
import { type ClockedStore, CrashIntervals, type Observation, StoreHistory } from "../../src/engines/robust/index.ts";
import { Clocks } from "../../src/exploration/persist-order/index.ts";
import type { Execution, LoadOp, StoreOp } from "./executions.ts";

interface Placed extends ClockedStore {
  readonly address: number;
  readonly size: number;
  readonly op: StoreOp;
}

export interface Mutant {
  readonly clocked?: (store: Placed, executions: readonly Execution[]) => Placed;
  readonly readFrom?: (
    store: StoreOp | undefined,
    byte: number,
    executions: readonly Execution[],
  ) => StoreOp | undefined;
  readonly seen?: (observation: Observation<Placed>, load: LoadOp) => Observation<Placed> | undefined;
}

/** Every store that happens before another one in the order of visibility, whatever thread it is of. */
const byVisibility = (store: Placed, executions: readonly Execution[]): Placed => ({
  ...store,
  thread: 0,
  clock: executions[store.execution]!.visible.indexOf(store.op) + 1,
  others: [],
});

const newestAlike = (store: StoreOp | undefined, byte: number, executions: readonly Execution[]) => {
  if (store === undefined) return undefined;
  const alike = (other: StoreOp) =>
    other.value === store.value && other.address <= byte && byte < other.address + other.size;
  return executions[store.execution]!.visible.findLast(alike);
};

export const mutants: Readonly<Record<string, Mutant>> = {
  "TSO instead of happens-before": { clocked: byVisibility },
  "no closure": { clocked: (store) => ({ ...store, others: [] }) },
  "last crash only": {
    seen: ({ store, next }, load) =>
      store !== undefined && store.execution < load.execution - 1
        ? undefined
        : { store, next: next.filter(({ execution }) => execution === load.execution - 1) },
  },
  "first next only": { seen: ({ store, next }) => ({ store, next: next.slice(0, 1) }) },
  "by value": { readFrom: newestAlike },
};

/** Whether all executions together are robust. */
export function judge(executions: readonly Execution[], mutant: Mutant = {}): boolean {
  const stores = clockAll(executions, mutant);
  const history = new StoreHistory<Placed>();
  const intervals = new CrashIntervals<Placed>();
  let robust = true;
  for (const [number, { issued, visible }] of executions.entries()) {
    for (const load of issued.filter((op) => op.kind === "load"))
      for (const [index, read] of load.reads.entries()) {
        if (read?.execution === number) continue;
        const byte = load.address + index;
        const from = mutant.readFrom === undefined ? read : mutant.readFrom(read, byte, executions);
        const store = from && stores.get(from);
        const seen: Observation<Placed> = { store, next: history.next(byte, store, number) };
        const observation = mutant.seen === undefined ? seen : mutant.seen(seen, load);
        if (observation === undefined) continue;
        if (intervals.violations(observation).length > 0) robust = false;
        intervals.observe(observation);
      }
    for (const op of visible) history.add(stores.get(op)!);
  }
  return robust;
}

function clockAll(executions: readonly Execution[], { clocked }: Mutant): ReadonlyMap<StoreOp, Placed> {
  const stores = new Map<StoreOp, Placed>();
  for (const { issued } of executions) {
    const clocks = new Clocks();
    for (const op of issued) {
      if (op.kind === "store") stores.set(op, { ...op, ...clocks.store(op.thread), op });
      else
        for (const read of op.reads)
          if (read !== undefined && read.execution === op.execution) clocks.load(op.thread, stores.get(read)!);
    }
  }
  if (clocked !== undefined) for (const [op, store] of stores) stores.set(op, clocked(store, executions));
  return stores;
}
