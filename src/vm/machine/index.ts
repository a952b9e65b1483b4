/** The machine itself: processor, tiers, tracing and watching, and the class that callers hold. */
export { KeptCode } from "./kept-code.ts";
export {
  type Lifting,
  type LineContents,
  Machine,
  type MachineOptions,
  type MachineSnapshot,
  type RunResult,
  type Statistics,
} from "./machine.ts";
export type { CodePlace, Patch } from "./patches.ts";
export { prepareMachine } from "./prepare.ts";
export type { WatchOptions } from "./watcher.ts";
