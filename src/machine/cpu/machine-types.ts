/** What a machine is made of, and what it answers with. */

import type { HostFiles } from "../../base/index.ts";
import type { CpuLevel } from "../../isa/x86/index.ts";
import type { FileLimits, StreamPort } from "../files/index.ts";
import type { KernelHooks, KernelLimits, KernelState, Outcome } from "../kernel/index.ts";
import type { MemorySnapshot } from "../memory/index.ts";
import type { ScheduleOptions } from "../schedule/index.ts";
import type { KeptCode } from "./kept-code.ts";
import type { UnfinishedStrings } from "./patched-instructions.ts";
import type { Patch } from "./patches.ts";
import type { RanCode } from "./ran-code.ts";
import type { TraceOptions, TracerSnapshot } from "./tracer.ts";

export interface MachineOptions {
  readonly host: HostFiles;
  readonly streams: StreamPort;
  readonly workingDirectory: string;
  readonly root?: string;
  readonly grants?: readonly string[];
  readonly seed?: number | bigint;
  readonly limits?: Partial<KernelLimits & FileLimits>;
  readonly hooks?: KernelHooks;
  readonly isPersistent?: (path: string) => boolean;
  /** Whether MAP_SYNC can be had, as on DAX; true unless said otherwise. */
  readonly directAccess?: boolean;
  /** The processor; v3 unless said otherwise. */
  readonly cpu?: CpuLevel;
  /** Executions after which a block is compiled; 0 interprets everything. */
  readonly hotAfter?: number;
  /** Record what reaches persistent memory. */
  readonly trace?: TraceOptions;
  /** How threads take turns and when their stores become visible; only for a machine that traces. */
  readonly schedule?: ScheduleOptions | undefined;
  /** Note what threads read of each other, in memory of any kind; only for a machine that traces, and slow while it has threads. */
  readonly meetings?: boolean;
  /** Flushes and fences to insert; they are seen in the trace and nowhere else. */
  readonly patches?: readonly Patch[];
  /** What earlier machines made of the program's code, for a way of lifting; it makes a machine faster and nothing else. */
  readonly keptCode?: (lifting: Lifting) => KeptCode;
  /** Takes notes of the code that runs. */
  readonly ranCode?: RanCode;
  /** Asked every so often, between instructions; it throws to end the run there. */
  readonly alarm?: (() => void) | undefined;
  /** Told after each run how many instructions it took; it may throw. */
  readonly spent?: ((instructions: number) => void) | undefined;
  /** Milliseconds, for the statistics only. */
  readonly clock?: () => number;
}

/** Why `run` returned. */
export type RunResult =
  | { readonly kind: "ended"; readonly outcome: Outcome }
  /** As many instructions as asked for have run. */
  | { readonly kind: "limit" }
  /** rip is one of the addresses to stop at; its instruction has not run. */
  | { readonly kind: "address"; readonly address: number }
  /** The next instruction uses what is watched (`runToUse`). */
  | { readonly kind: "use" };

export interface MachineSnapshot {
  readonly tracer: TracerSnapshot | undefined;
  readonly memory: MemorySnapshot;
  readonly kernel: KernelState;
  readonly turn: number;
  readonly unfinished: UnfinishedStrings;
}

export interface Statistics {
  readonly instructions: number;
  readonly seconds: Readonly<Record<string, number>>;
  readonly regions: number;
  readonly peakBytes: number;
}

/** What one line of a file holds: `index` counts in lines of the length of `bytes`. */
export interface LineContents {
  readonly path: string;
  readonly index: number;
  readonly bytes: Uint8Array;
}

/** What code is lifted to. */
export type Lifting = `${"plain" | "traced"}-${CpuLevel}`;
