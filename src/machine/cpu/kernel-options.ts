/** What the kernel is told of how its machine was asked for. */
import { type CpuLevel, usualLevel } from "../../isa/x86/index.ts";
import { cpuidLeaf } from "../complex/index.ts";
import { defaultKernelLimits, type KernelOptions } from "../kernel/index.ts";
import type { MachineOptions } from "./machine-types.ts";

export const levelOf = ({ cpu = usualLevel }: MachineOptions): CpuLevel => cpu;

export function kernelOptions(
  options: MachineOptions,
  isWatched: NonNullable<KernelOptions["isWatched"]>,
): Partial<KernelOptions> {
  const { limits = {}, seed, isPersistent, directAccess } = options;
  const cpu = levelOf(options);
  return {
    limits: { ...defaultKernelLimits, ...limits },
    hwcap: cpuidLeaf(1, 0, cpu)[3],
    extendedState: cpu === "v3",
    ...(limits.descriptors !== undefined && { descriptors: limits.descriptors }),
    ...(seed !== undefined && { seed }),
    ...(isPersistent && { isPersistent }),
    ...(directAccess !== undefined && { directAccess }),
    isWatched,
  };
}
