/** The machine itself: processor, tiers, tracing and watching, and the class that callers hold. */
export { KeptCode } from "./kept-code.ts";
export { Machine } from "./machine.ts";
export type {
  Lifting,
  LineContents,
  MachineOptions,
  MachineSnapshot,
  RunResult,
  Statistics,
} from "./machine-types.ts";
export type { CodePlace, Patch } from "./patches.ts";
export { type FileMapping, MachinePort, type PortListener } from "./port.ts";
export { prepareMachine } from "./prepare.ts";
export { type RanBlocks, RanCode } from "./ran-code.ts";
export type { RemovedOp } from "./removed.ts";
export type { TracedLoad } from "./tracer.ts";
export type { WatchOptions } from "./watcher.ts";
