/** Resource limits as getrlimit(2) and /proc/self/limits tell them. They bind nothing but RLIMIT_NOFILE, which the file tree enforces. */
import type { LimitFact } from "../files/index.ts";
import { STACK_BYTES } from "../process/index.ts";
import type { KernelOptions } from "./options.ts";
import type { ResourceLimit } from "./state.ts";

export const RLIM_INFINITY = 2n ** 64n - 1n;

/** In order of their numbers. */
const rows = [
  ["Max cpu time", "seconds"],
  ["Max file size", "bytes"],
  ["Max data size", "bytes"],
  ["Max stack size", "bytes"],
  ["Max core file size", "bytes"],
  ["Max resident set", "bytes"],
  ["Max processes", "processes"],
  ["Max open files", "files"],
  ["Max locked memory", "bytes"],
  ["Max address space", "bytes"],
  ["Max file locks", "locks"],
  ["Max pending signals", "signals"],
  ["Max msgqueue size", "bytes"],
  ["Max nice priority", ""],
  ["Max realtime priority", ""],
  ["Max realtime timeout", "us"],
] as const;

export function initialLimits(options: KernelOptions): readonly ResourceLimit[] {
  const unlimited = { soft: RLIM_INFINITY, hard: RLIM_INFINITY };
  const both = (value: number) => ({ soft: BigInt(value), hard: BigInt(value) });
  const special: Readonly<Record<string, ResourceLimit>> = {
    "Max stack size": { soft: BigInt(STACK_BYTES), hard: RLIM_INFINITY },
    "Max core file size": { soft: 0n, hard: RLIM_INFINITY },
    "Max processes": both(options.limits.threads),
    "Max open files": both(options.descriptors),
    "Max locked memory": both(8 << 20),
    "Max pending signals": both(1024),
    "Max msgqueue size": both(819_200),
    "Max nice priority": both(0),
    "Max realtime priority": both(0),
  };
  return rows.map(([name]) => special[name] ?? unlimited);
}

const shown = (value: bigint): number | "unlimited" => (value === RLIM_INFINITY ? "unlimited" : Number(value));

export const limitFacts = (limits: readonly ResourceLimit[]): readonly LimitFact[] =>
  rows.map(([name, unit], index) => {
    const { soft, hard } = limits[index]!;
    return { name, unit, soft: shown(soft), hard: shown(hard) };
  });
