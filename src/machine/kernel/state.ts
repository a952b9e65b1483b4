/**
 * Everything the kernel knows of the process, as plain data. Always:
 * - `Process` and `Thread` records are changed in place; whatever they hold (lists, masks, actions, saved registers) is
 *   replaced, never changed. So a snapshot copies the records and shares the rest.
 * - Times are nanoseconds on the monotonic clock.
 */
import type { RandomState } from "../../base/index.ts";
import type { FilesSnapshot } from "../files/index.ts";
import type { AddressSpaceState } from "../process/index.ts";

/** What a blocked thread waits for. Every wait also ends at its deadline and, mostly, with a signal. */
export type Wait = {
  readonly deadline: bigint | undefined;
  /** After a handler with SA_RESTART the call starts over; otherwise it fails with EINTR. */
  readonly restart: boolean;
} & (
  | { readonly kind: "futex"; readonly key: number; readonly bitset: number; readonly order: number }
  /** For pipes, eventfds and polls: until the file tree's change count moves on from `seen`. `done`: bytes already written. */
  | { readonly kind: "files"; readonly seen: number; readonly done: number }
  /** `remainder`: where to put the time left when a signal cuts the sleep short, or 0. */
  | { readonly kind: "sleep"; readonly remainder: number }
  /** For a signal in `set` to take without handling it; an empty set waits for any handler to run. */
  | { readonly kind: "signals"; readonly set: bigint }
);

export type WokenBy = "ready" | "timeout" | "signal";

export type ThreadStatus =
  | { readonly kind: "runnable" }
  | { readonly kind: "blocked"; readonly wait: Wait }
  /** The call it blocked in is taken up again when the thread gets the CPU. */
  | { readonly kind: "resuming"; readonly wait: Wait; readonly by: WokenBy }
  /** Only the first thread is kept after its exit, as the process's own name. */
  | { readonly kind: "exited"; readonly code: number };

export interface PendingSignal {
  readonly signal: number;
  /** The 128 bytes of siginfo_t. */
  readonly info: Uint8Array;
}

export interface AlternateStack {
  readonly base: number;
  readonly size: number;
  readonly flags: number;
}

export interface RestartableSequence {
  readonly address: number;
  readonly length: number;
  readonly signature: number;
}

export interface Thread {
  readonly tid: number;
  /** Bytes 0–1023 of the CPU block while another thread runs; stale while this one does. */
  registers: Uint8Array;
  status: ThreadStatus;
  /** Bit n-1 is set when signal n is blocked. */
  mask: bigint;
  /** The mask to go back to after sigsuspend, ppoll and their kin. */
  savedMask: bigint | undefined;
  pending: readonly PendingSignal[];
  alternateStack: AlternateStack;
  clearChildTid: number;
  robustList: number;
  restartableSequence: RestartableSequence | undefined;
  name: string;
  /** Instructions it has run: its CPU time. */
  instructions: bigint;
}

export interface SignalAction {
  /** 0 default, 1 ignore, else the handler's address. */
  readonly handler: bigint;
  readonly flags: number;
  readonly restorer: bigint;
  readonly mask: bigint;
}

export interface IntervalTimer {
  /** 0: off. */
  readonly deadline: bigint;
  readonly interval: bigint;
}

export interface PosixTimer extends IntervalTimer {
  readonly id: number;
  /** Runs on CPU time; on the wall clock, whose absolute times count from 1970. */
  readonly cpu: boolean;
  readonly wall: boolean;
  /** 0: none. */
  readonly signal: number;
  /** The thread that gets the signal; 0: the process. */
  readonly tid: number;
  readonly value: bigint;
  readonly overrun: number;
}

export interface ResourceLimit {
  readonly soft: bigint;
  readonly hard: bigint;
}

/** What /proc tells of the program. */
export interface ProgramFacts {
  readonly executable: string;
  readonly argv: readonly string[];
  readonly environment: readonly string[];
  readonly auxiliary: Uint8Array;
}

export interface ThreadReport {
  readonly tid: number;
  readonly name: string;
  readonly rip: number;
  readonly site: string;
  readonly waitsFor: string;
}

/** How a run ended. */
export type Outcome =
  | { readonly kind: "exit"; readonly code: number }
  | {
      readonly kind: "signal";
      readonly signal: number;
      readonly name: string;
      readonly tid: number;
      readonly rip: number;
      readonly site: string;
      /** What could not be accessed, for a memory fault. */
      readonly address: bigint | undefined;
    }
  | { readonly kind: "deadlock"; readonly threads: readonly ThreadReport[] }
  | {
      readonly kind: "limit";
      readonly limit: "instructions" | "output" | "time" | "host-memory";
      readonly message: string;
    };

export interface ProcessState {
  /** In order of creation. */
  threads: Thread[];
  /** The thread whose registers are in the CPU block. */
  current: number;
  nextTid: number;
  random: RandomState;
  instructions: bigint;
  /** Time that passed while every thread slept. */
  skipped: bigint;
  /** Instructions the current thread may run before another gets its turn; Infinity when there is no other. */
  quantum: number;
  /** The current thread gives way to any other that can run. */
  yielded: boolean;
  /** By signal number. */
  actions: readonly SignalAction[];
  /** Signals for whichever thread takes them. */
  pending: readonly PendingSignal[];
  futexOrder: number;
  /** ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF. */
  timers: readonly IntervalTimer[];
  posixTimers: readonly PosixTimer[];
  limits: readonly ResourceLimit[];
  personality: number;
  dumpable: number;
  program: ProgramFacts;
  outcome: Outcome | undefined;
}

/** A snapshot of everything but guest memory. */
export interface KernelState {
  readonly process: ProcessState;
  readonly space: AddressSpaceState;
  readonly files: FilesSnapshot;
}

/** Copies what is changed in place and shares the rest. */
export function copyState(state: ProcessState): ProcessState {
  return { ...state, threads: state.threads.map((thread) => ({ ...thread })), random: { ...state.random } };
}
