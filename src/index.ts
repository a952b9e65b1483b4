/**
 * The package's surface: a machine that runs x86-64 Linux programs deterministically, and what it needs from the host.
 * Nothing here is global: a host's files, streams and clock are handed to each machine.
 */
export { Bug, InputError } from "./base/index.ts";
export { MemoryFiles, RealFiles, standardStreams } from "./host/index.ts";
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
