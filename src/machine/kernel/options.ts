/** What the machine hands to the kernel: limits, chance, and where to report. Everything has a default but the seed's owner. */
import type { FileLimits, GuestFiles, InodeId, MappedPages, ProcessFacts } from "../files/index.ts";
import type { AlternateStack } from "./state.ts";

export interface KernelLimits {
  /** Threads alive at once; beyond: EAGAIN. */
  readonly threads: number;
  /** Bytes of guest address space mapped at once; beyond: ENOMEM. */
  readonly memory: number;
  /** Guest instructions; beyond: the run ends. */
  readonly instructions: number;
}

export const defaultKernelLimits: KernelLimits = {
  threads: 1024,
  memory: 2 ** 32,
  instructions: Number.POSITIVE_INFINITY,
};

export interface KernelOptions {
  readonly seed: number | bigint;
  readonly limits: KernelLimits;
  /** For RLIMIT_NOFILE. */
  readonly descriptors: FileLimits["descriptors"];
  readonly uid: number;
  readonly gid: number;
  /** How many CPUs the guest believes in; every thread says it runs on the first. */
  readonly cpus: number;
  /** Instructions a thread runs before another may get its turn; half of it to one and a half times. */
  readonly quantum: number;
  /** The wall clock at the start, in nanoseconds since 1970. */
  readonly epoch: bigint;
  /** AT_HWCAP: EDX of CPUID leaf 1; AT_HWCAP2. */
  readonly hwcap: number;
  readonly hwcap2: number;
  /** Signal frames hold the state that XSAVE saves, not FXSAVE alone. */
  readonly extendedState: boolean;
  readonly cpuModel: string;
  readonly cpuFlags: readonly string[];
  /** Whether stores through a writable shared mapping of this file are persistent-memory events. */
  isPersistent(path: string): boolean;
  /** Whether files lie in memory that is mapped directly (DAX), so that MAP_SYNC can be had. */
  readonly directAccess: boolean;
  /** Whether uses of this file's pages are noted (machine/runtime/watch.ts). */
  isWatched(inode: InodeId): boolean;
}

export const defaultKernelOptions: KernelOptions = {
  seed: 0,
  limits: defaultKernelLimits,
  descriptors: 1024,
  uid: 1000,
  gid: 1000,
  cpus: 4,
  quantum: 20_000,
  epoch: 1_704_067_200_000_000_000n,
  hwcap: 0x178bfbff,
  hwcap2: 2,
  extendedState: false,
  cpuModel: "Blackout virtual CPU",
  cpuFlags: [],
  isPersistent: () => true,
  directAccess: true,
  isWatched: () => false,
};

/** What the kernel tells the machine. All may be left out. */
export interface KernelHooks {
  /** One line for the user: an unsupported call, a limit. Each text comes once. */
  notice?(line: string): void;
  /** The guest made a call that is not supported. */
  unsupported?(call: string): void;
  persistentChanged?(what: "map" | "unmap" | "sync", start: number, length: number, path: string, offset: number): void;
  /** A call left bytes, or so many zeros, in a file that is or was mapped as persistent memory. */
  persistentWritten?(path: string, offset: number, written: Uint8Array | number): void;
  /** A file that was mapped as persistent memory, and is no longer, was synced. */
  persistentSynced?(path: string): void;
  /** A mapping of a watched file is about to go. */
  watchedGoes?(): void;
  /** Picks the next thread instead of the seeded scheduler: an index into `tids`. */
  chooseThread?(tids: readonly number[]): number;
  /** Picks the next turn instead of the scheduler; undefined leaves it to that. `yielded` gave up its turn. */
  chooseTurn?(tids: readonly number[], yielded: number | undefined): { tid: number; quantum: number } | undefined;
  /** A signal is about to be delivered to a thread that does not run yet: its frame will go to the stack. */
  interrupted?(tid: number): void;
  threadStarted?(tid: number, parent: number): void;
  threadEnded?(tid: number): void;
  /** A thread that waited for a futex goes on because another one woke it. */
  threadWoken?(tid: number, by: number): void;
  /** A handler begins: where its frame lies, what it interrupted, and the stack it switches to, if it does. */
  signalEntered?(tid: number, stack: number, rip: number, alternate: AlternateStack | undefined): void;
  /** rt_sigreturn has put everything back. */
  signalLeft?(tid: number): void;
  /** After a call came to an end; for tracing. */
  returned?(tid: number, name: string, result: bigint): void;
}

/** What the file tree needs from the kernel. */
export interface FilePorts {
  readonly mapped: MappedPages;
  readonly process: ProcessFacts;
  now(): bigint;
  random(into: Uint8Array): void;
  limitReached(what: string, limit: number): void;
}

export type CreateFiles = (ports: FilePorts) => GuestFiles;
