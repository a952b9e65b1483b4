/** The Linux kernel in user space for one guest process: system calls, threads, signals, clocks. */
export type { Fault } from "./faults.ts";
export { Kernel, type Step, type Turn } from "./kernel.ts";
export { type SyscallName, syscallNumbers } from "./numbers.ts";
export {
  type CreateFiles,
  defaultKernelLimits,
  defaultKernelOptions,
  type FilePorts,
  type KernelHooks,
  type KernelLimits,
  type KernelOptions,
} from "./options.ts";
export { signalName } from "./signal-numbers.ts";
export type { AlternateStack, KernelState, Outcome, ThreadReport } from "./state.ts";
export { type Row, syscallTable } from "./table.ts";
