/** The part of the pass over a trace that every event goes through, as one WebAssembly module (docs/adr/0015). */
import { compileModule, prepared } from "../../../base/index.ts";
import { ModuleBuilder, type ValueType } from "../../../isa/wasm/index.ts";
import { mostPages, type TrackerMemory } from "../memory.ts";
import { lengthenPending } from "../threads.ts";
import { completeFunction, joinGroupFunction, pendFunction } from "./flushes.ts";
import { addFunction, blockFunction, releaseFunction } from "./lines.ts";
import { followLockFunction, lockStoreFunction } from "./locks.ts";
import { allocatedFunction, freedFunction } from "./objects.ts";
import { repeatedFunction, repeatSlotFunction } from "./repeats.ts";
import { sharedFlushFunction } from "./shared-flush.ts";
import { overwritesFunction, putFunction } from "./stores.ts";
import { takeFunction } from "./take.ts";
import { coveredFunction, holdsFunction, requestFunction } from "./transactions.ts";

/** Records and states are addresses in the memory. */
export interface Core {
  /** Goes through records from one to an end; returns the first that needs a closer look, or the end. */
  take(record: number, end: number, position: number, persisting: number): number;
  add(line: number, position: number): number;
  release(entry: number): void;
  overwrites(record: number, entry: number): number;
  put(record: number, entry: number, position: number): void;
  joinGroup(state: number, record: number, position: number, anySite: number): void;
  pend(state: number, entry: number, means: number, site: number, stack: number, position: number): void;
  complete(state: number, position: number): void;
  repeatSlot(site: number, stack: number, what: number): number;
  followLock(record: number, word: number, isLocked: number, position: number): void;
}

const numbers = (count: number): readonly ValueType[] => Array.from({ length: count }, () => "i32");
const signature = (params: number, results = 0) => ({ params: numbers(params), results: numbers(results) });

export function buildRulesCore(): Uint8Array {
  const module = new ModuleBuilder();
  module.importMemory("host", "memory", 0, mostPages);
  const grow = module.importFunction("host", "grow", signature(0));
  const lengthen = module.importFunction("host", "lengthen", signature(1));
  const block = module.function(signature(0, 1), blockFunction(grow));
  const add = module.function(signature(2, 1), addFunction(block));
  const release = module.function(signature(1), releaseFunction());
  const pend = module.function(signature(6), pendFunction(lengthen));
  const joinGroup = module.function(signature(4), joinGroupFunction());
  const complete = module.function(signature(2), completeFunction(release));
  const repeatSlot = module.function(signature(3, 1), repeatSlotFunction());
  const repeated = module.function(signature(3, 1), repeatedFunction(repeatSlot));
  const holds = module.function(signature(2, 1), holdsFunction());
  const request = module.function(
    signature(3, 1),
    requestFunction(module.function(signature(2, 1), coveredFunction())),
  );
  const followLock = module.function(signature(4), followLockFunction());
  const lockStore = module.function(signature(3, 1), lockStoreFunction(followLock));
  const sharedFlush = module.function(signature(1, 1), sharedFlushFunction());
  const allocated = module.function(signature(2, 1), allocatedFunction());
  const freed = module.function(signature(1, 1), freedFunction());
  const taking = { add, pend, joinGroup, complete, repeated, holds, request, lockStore, sharedFlush, allocated, freed };
  const functions: Readonly<Record<keyof Core, number>> = {
    add,
    release,
    pend,
    joinGroup,
    complete,
    repeatSlot,
    followLock,
    overwrites: module.function(signature(2, 1), overwritesFunction()),
    put: module.function(signature(3), putFunction()),
    take: module.function(signature(4, 1), takeFunction(taking)),
  };
  for (const [name, index] of Object.entries(functions)) module.exportFunction(name, index);
  return module.build();
}

let compiled: WebAssembly.Module | undefined;

/** The module does not depend on the trace, so it is compiled once per process, and a build may write it ahead. */
const coreModule = (): WebAssembly.Module =>
  (compiled ??= compileModule(prepared("rules") ?? buildRulesCore(), prepared("rulesCode")));

export function createCore(memory: TrackerMemory): Core {
  const host = {
    memory: memory.memory,
    grow: () => memory.grow(),
    lengthen: (state: number) => lengthenPending(memory, state),
  };
  return new WebAssembly.Instance(coreModule(), { host }).exports as unknown as Core;
}
