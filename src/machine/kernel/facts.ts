/** The process as /proc tells of it. */
import type { MemoryFacts, ProcessFacts, SignalFacts } from "../files/index.ts";
import { type Area, listAreas, mapsText } from "../process/index.ts";
import { PARENT_PID, PID, type Process } from "./process.ts";
import { limitFacts } from "./resource-limits.ts";
import { isIgnored, maskBit, SIG_DFL, SIGNALS } from "./signal-numbers.ts";
import type { PendingSignal } from "./state.ts";

export const KERNEL_RELEASE = "6.1.0-blackout";
export const KERNEL_VERSION = "#1 SMP PREEMPT_DYNAMIC Blackout";
export const HOSTNAME = "blackout";

export function processFacts(process: Process): ProcessFacts {
  const { options } = process;
  const threadOf = (tid: number) => process.thread(tid) ?? process.current;
  return {
    pid: PID,
    parent: PARENT_PID,
    currentThread: () => process.state.current,
    threads: () => process.state.threads.map(({ tid }) => tid),
    threadName: (tid) => threadOf(tid).name,
    setThreadName: (tid, name) => {
      threadOf(tid).name = name.slice(0, 15);
    },
    threadState: (tid) => stateLetter(process, tid),
    signals: (tid) => signalFacts(process, tid),
    executable: () => process.state.program.executable,
    commandLine: () => process.state.program.argv,
    environment: () => process.state.program.environment,
    auxiliaryVector: () => process.state.program.auxiliary,
    maps: () => mapsText(process.space.state.areas, process.files),
    memory: () => memoryFacts(process),
    limits: () => limitFacts(process.state.limits),
    cpuTime: () => process.state.instructions,
    uptime: () => process.now(),
    kernelRelease: KERNEL_RELEASE,
    kernelVersion: KERNEL_VERSION,
    hostname: HOSTNAME,
    cpus: options.cpus,
    cpuModel: options.cpuModel,
    cpuFlags: options.cpuFlags,
    totalMemory: options.limits.memory,
    freeMemory: () => Math.max(0, options.limits.memory - process.space.state.areas.bytes),
  };
}

function stateLetter(process: Process, tid: number): "R" | "S" | "Z" {
  const kind = process.thread(tid)?.status.kind;
  return kind === "blocked" ? "S" : kind === "exited" ? "Z" : "R";
}

const maskOf = (pending: readonly PendingSignal[]): bigint =>
  pending.reduce((mask, { signal }) => mask | maskBit(signal), 0n);

export const pendingMask = (process: Process, tid: number): bigint =>
  maskOf(process.state.pending) | maskOf(process.thread(tid)?.pending ?? []);

function signalFacts(process: Process, tid: number): SignalFacts {
  let ignored = 0n;
  let caught = 0n;
  for (let signal = 1; signal <= SIGNALS; signal++) {
    const action = process.state.actions[signal]!;
    if (action.handler === SIG_DFL) continue;
    if (isIgnored(signal, action)) ignored |= maskBit(signal);
    else caught |= maskBit(signal);
  }
  return { pending: pendingMask(process, tid), blocked: process.thread(tid)?.mask ?? 0n, ignored, caught };
}

function memoryFacts({ space, memory }: Process): MemoryFacts {
  const { areas, peakBytes } = space.state;
  const all = listAreas(areas);
  const total = (wanted: (area: Area) => boolean) =>
    all.filter(wanted).reduce((sum, { start, end }) => sum + (end - start), 0);
  return {
    virtualBytes: areas.bytes,
    peakVirtualBytes: peakBytes,
    residentBytes: memory.mappedPages * 4096,
    textBytes: total(({ protection }) => (protection & 4) !== 0),
    dataBytes: total(({ protection, shared }) => (protection & 2) !== 0 && !shared),
    stackBytes: total(({ name }) => name === "[stack]"),
  };
}
