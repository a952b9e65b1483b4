/** What the kernel is told of how its machine was asked for. */
import { cpuidLeaf } from "../complex/index.ts";
import { defaultKernelLimits, type KernelOptions } from "../kernel/index.ts";
import type { MachineOptions } from "./machine-types.ts";

export function kernelOptions(
  { limits = {}, seed, isPersistent, directAccess, cpu = "v2" }: MachineOptions,
  isWatched: NonNullable<KernelOptions["isWatched"]>,
): Partial<KernelOptions> {
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
