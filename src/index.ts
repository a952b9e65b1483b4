/**
 * The package's surface: `check`, which finds a program's crash-consistency bugs; the session and the engines behind it; and
 * the machine that runs x86-64 Linux programs deterministically. Nothing here is global: a host's files, streams and clock
 * are handed to each machine.
 */

export { Bug, type HostFiles, InputError } from "./base/index.ts";
export { type Checked, type CheckRequest, check } from "./check.ts";
export type { Evidence, Finding, Mark, Severity } from "./crash/finding/index.ts";
/** For rules of one's own: docs/custom-rules.md. */
export type { CustomRule, RuleContext, RuleRun, TypeLookup } from "./engines/index.ts";
/** For engines of one's own: docs/adding-an-engine.md. */
export { crashEngines, injectEngine, rulesEngine } from "./engines/index.ts";
export { MemoryFiles, RealFiles, realPorts, standardStreams } from "./host/index.ts";
export {
  type CodePlace,
  Machine,
  type MachineOptions,
  type MachineSnapshot,
  type Outcome,
  type Patch,
  pathFromText,
  type RunResult,
  type Statistics,
  type StreamPort,
  signalName,
  textFromPath,
} from "./machine/index.ts";
export {
  type CrashEngine,
  type EngineToolkit,
  type Judge,
  type LeadScene,
  type Plan,
  type PlanLimits,
  type Range,
  RangeQueue,
  runSession,
  type Scene,
  type SessionOptions,
  startWorker,
  type UnitResult,
} from "./session/work/index.ts";
export type { Frame, TraceEvent } from "./trace/events/index.ts";
