/**
 * The runtime module: everything in WebAssembly that is not compiled guest code, built once per machine, and the table
 * of compiled regions. Other modules reach regions through the `call` and `go` trampolines, because importing a large table
 * into each of them costs V8 tens of milliseconds.
 */
import { compileModule, prepared } from "../../base/index.ts";
import { type HelperName, helpers, type MacroName, macros } from "../../isa/ir/index.ts";
import { Code, ModuleBuilder } from "../../isa/wasm/index.ts";
import { addContextFunctions } from "./contexts.ts";
import { addEventFunctions, type EventFunctions, emitRecord, emitRoomAtOnce } from "./events.ts";
import { addFlagFunctions } from "./flags.ts";
import { interpreterFunction } from "./interpreter.ts";
import { cell, cpuAddress, info, maxCallDepth, memoryPages64K } from "./layout.ts";
import { macroBodies } from "./macros/index.ts";
import { addMemoryFunctions, type LoadName, type MemoryFunctions, type StoreName } from "./memory.ts";
import { patchFunction } from "./patches.ts";
import { rareFunctions } from "./rare.ts";
import { repeatsFunction } from "./repeats.ts";
import { requestsFunction } from "./requests.ts";
import { addSchedulingFunctions, type SchedulingFunctions } from "./scheduling.ts";
import { noteSlowFunction } from "./slow-sites.ts";
import { addWatchFunctions } from "./watch.ts";

export const regionTableSize = 1 << 16;

export interface RuntimeImports {
  touch(page: number): void;
  mirror(address: number, size: number): void;
  /** The event buffer is full and must be emptied. */
  emptyEvents(): void;
  /** The list of used words is full and must be emptied. */
  usesFull(): void;
  /** Makes the instruction at rip (ir: complex exits): 0 and rip moved on, or a stop code and nothing more done. */
  complex(): number;
  /** The region that starts at `entry` left an access, at rip, to the interpreter. */
  slow(entry: number): void;
  readonly helpers: Readonly<Record<HelperName, (...args: never[]) => number | bigint>>;
}

export interface Runtime {
  readonly run: (block: number) => number;
  readonly table: WebAssembly.Table;
  /** What compiled modules import under the module name "runtime". */
  readonly exports: Record<string, unknown>;
}

interface EventParts {
  readonly memory: MemoryFunctions;
  readonly events: EventFunctions;
  readonly scheduling: SchedulingFunctions;
}

/** (kind, address, rip): logs a flush or fence if tracing is on; a flush of memory that may not be read faults. */
function eventFunction({ memory, events, scheduling }: EventParts, emptyEvents: number): Code {
  const [kind, address, rip] = [0, 1, 2];
  const c = new Code(["i32", "i64", "i32"]);
  const code = c.local("i32");
  const at = c.local("i32");
  c.get(kind).i32(3).op("i32.lt_u").if_();
  c.get(address).i32(1).i32(info.read).i32(0).call(memory.check).tee(code).if_();
  c.get(code).return_();
  c.end();
  c.get(address).op("i32.wrap_i64").call(scheduling.visit).tee(code).if_();
  c.get(code).return_();
  c.end();
  c.end();
  c.i32(0).memory("i32.load", cpuAddress(cell.tracing)).if_();
  emitRoomAtOnce(c, at, emptyEvents);
  const parts = {
    at,
    kindAndSize: () => c.get(kind),
    address: () => c.get(address).op("i32.wrap_i64"),
    rip: () => c.get(rip),
    value: () => c.i64(0n),
  };
  emitRecord(c, parts, events.contexts);
  c.end();
  c.i32(0);
  return c;
}

/** (slot, depth) → the region's result, or 0 without calling when the stack is deep: rip already names the callee. */
function callFunction(regionType: number): Code {
  const c = new Code(["i32", "i32"]);
  c.get(1).i32(maxCallDepth).op("i32.ge_u").if_();
  c.i32(0).return_();
  c.end();
  return c.get(1).i32(1).op("i32.add").get(0).callIndirect(regionType);
}

/** (slot, depth) → the region's result: for jumps, so the caller's frame is gone and the depth stays. */
function goFunction(regionType: number): Code {
  return new Code(["i32", "i32"]).get(1).get(0).returnCallIndirect(regionType);
}

/**
 * (until, depth) → stop code: dispatches from rip until it arrives at `until`; 0 without doing anything when the stack is deep.
 * For a region whose guest call did not come back as a WebAssembly return: the callee is not compiled, or left its region.
 */
function resumeFunction(interpret: number): Code {
  const c = new Code(["i64", "i32"]);
  c.get(1).i32(maxCallDepth).op("i32.ge_u").if_();
  c.i32(0).return_();
  c.end();
  c.i32(0).get(1).i32(1).op("i32.add").memory("i32.store", cpuAddress(cell.depth));
  return c.i32(0).get(0).call(interpret);
}

/** (block) → stop code: the machine's way in. No guest address is all ones, so it only comes back with a stop. */
function runFunction(interpret: number): Code {
  const c = new Code(["i32"]);
  c.get(0).i64(-1n).call(interpret);
  return c;
}

/** What an empty slot holds: nothing is compiled there, go on dispatching at rip. */
function emptyRegion(): Code {
  const c = new Code(["i32"]);
  c.i32(0);
  return c;
}

/** Declares every macro before any body, because macros call each other. */
function addMacros(module: ModuleBuilder, helper: Record<HelperName, number>): Record<MacroName, number> {
  const index = {} as Record<MacroName, number>;
  const names = Object.keys(macros) as MacroName[];
  for (const name of names)
    index[name] = module.declare({ params: macros[name].params, results: [macros[name].result] });
  for (const name of names)
    module.define(index[name], macroBodies[name]({ macro: (other) => index[other], helper: (other) => helper[other] }));
  return index;
}

function importHelpers(module: ModuleBuilder): Record<HelperName, number> {
  const index = {} as Record<HelperName, number>;
  for (const name of Object.keys(helpers) as HelperName[]) {
    const { params, result } = helpers[name];
    index[name] = module.importFunction("helpers", name, { params, results: [result] });
  }
  return index;
}

let compiled: WebAssembly.Module | undefined;

/** The module does not depend on the machine, so it is compiled once per process, and a build may write it ahead. */
const runtimeModule = (): WebAssembly.Module =>
  (compiled ??= compileModule(prepared("runtime") ?? buildRuntime(), prepared("runtimeCode")));

/** The type of what the machine makes itself. */
const machineMade = { params: [], results: ["i32"] } as const;

/** What the runtime calls out for. */
function importHost(module: ModuleBuilder) {
  module.importMemory("host", "memory", memoryPages64K);
  const touch = module.importFunction("host", "touch", { params: ["i32"], results: [] });
  const mirror = module.importFunction("host", "mirror", { params: ["i32", "i32"], results: [] });
  const emptyEvents = module.importFunction("host", "emptyEvents", { params: [], results: [] });
  const usesFull = module.importFunction("host", "usesFull", { params: [], results: [] });
  const host = module.importFunction("host", "complex", machineMade);
  return { touch, mirror, emptyEvents, usesFull, host, helperIndex: importHelpers(module) };
}

export function buildRuntime(): Uint8Array {
  const module = new ModuleBuilder();
  const { touch, mirror, emptyEvents, usesFull, host, helperIndex } = importHost(module);
  module.table(regionTableSize);
  const regionType = module.type({ params: ["i32"], results: ["i32"] });
  const contexts = addContextFunctions(module);
  const events = addEventFunctions(module, contexts);
  const watch = addWatchFunctions(module, usesFull);
  const scheduling = addSchedulingFunctions(module, events);
  const memory = addMemoryFunctions(module, { touch, mirror }, { events, watch, scheduling });
  const macroIndex = addMacros(module, helperIndex);
  const flags = addFlagFunctions(module, macroIndex["x86.mul_high_s"]);
  const event = module.function(
    { params: ["i32", "i64", "i32"], results: ["i32"] },
    eventFunction({ memory, events, scheduling }, emptyEvents),
  );
  const patch = module.function(
    { params: ["i32", "i32", "i64", "i32", "i32"], results: [] },
    patchFunction(contexts, emptyEvents),
  );
  const transfer = { params: ["i32", "i32"], results: ["i32"] } as const;
  const call = module.function(transfer, callFunction(regionType));
  const go = module.function(transfer, goFunction(regionType));
  const rare = rareFunctions({ macros: macroIndex, helpers: helperIndex }).map((code) =>
    module.function({ params: ["i32"], results: ["i32"] }, code),
  );
  const repeats = module.function(machineMade, repeatsFunction(host));
  const complex = module.function(machineMade, requestsFunction(repeats, events, emptyEvents));
  const noteSlow = module.function({ params: ["i32"], results: [] }, noteSlowFunction());
  const context = { memory, flags, contexts, rare, event, patch, complex, noteSlow, regionType };
  const interpret = module.function({ params: ["i32", "i64"], results: ["i32"] }, interpreterFunction(context));
  const run = module.function({ params: ["i32"], results: ["i32"] }, runFunction(interpret));
  const resume = module.function({ params: ["i64", "i32"], results: ["i32"] }, resumeFunction(interpret));

  module.exportTable("table");
  const named: Readonly<Record<string, number>> = {
    run,
    // Nobody imports these two; a build has them optimised, which takes an export.
    interpret,
    ...Object.fromEntries(rare.map((index, group) => [`rare.${group}`, index])),
    enter: contexts.enter,
    prune: contexts.prune,
    context: contexts.current,
    resume,
    call,
    go,
    event,
    patch,
    complex,
    probe: memory.probe,
    watchRead: watch.read,
    watchWrite: watch.write,
    flag: flags.flag,
    condition: flags.condition,
    empty: module.function({ params: ["i32"], results: ["i32"] }, emptyRegion()),
    ...(memory.load satisfies Record<LoadName, number>),
    ...(memory.store satisfies Record<StoreName, number>),
    ...(macroIndex satisfies Record<MacroName, number>),
  };
  for (const [name, index] of Object.entries(named)) module.exportFunction(name, index);
  return module.build();
}

export function createRuntime(memory: WebAssembly.Memory, imports: RuntimeImports): Runtime {
  const { touch, mirror, emptyEvents, usesFull, complex, slow } = imports;
  const instance = new WebAssembly.Instance(runtimeModule(), {
    host: { memory, touch, mirror, emptyEvents, usesFull, complex },
    helpers: imports.helpers,
  });
  const table = instance.exports.table as WebAssembly.Table;
  const helperExports = Object.fromEntries(
    Object.entries(imports.helpers).map(([name, run]) => [`helper.${name}`, run]),
  );
  return {
    run: instance.exports.run as Runtime["run"],
    table,
    exports: { ...instance.exports, ...helperExports, memory, slow },
  };
}
