/**
 * The package's surface: a machine that runs x86-64 Linux programs deterministically, and what it needs from the host.
 * Nothing here is global: a host's files, streams and clock are handed to each machine.
 */
export { Bug, InputError } from "./base/index.ts";
/** For rules of one's own: docs/custom-rules.md. */
export type { CustomRule, RuleContext, RuleRun, TypeLookup } from "./engines/index.ts";
export type { Evidence, Finding, Mark, Severity } from "./finding/index.ts";
export { MemoryFiles, RealFiles, standardStreams } from "./host/index.ts";
export type { Frame, TraceEvent } from "./trace/index.ts";
export {
  type HostFiles,
  Machine,
  type MachineOptions,
  type MachineSnapshot,
  type Outcome,
  pathFromText,
  type RunResult,
  type Statistics,
  type StreamPort,
  signalName,
  textFromPath,
} from "./vm/index.ts";
