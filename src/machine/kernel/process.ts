/** The one guest process: its state and the parts every system call works with. */
import { assert, below, next32, seedRandom } from "../../base/index.ts";
import type { GuestFiles } from "../files/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { AddressSpace, type Cpu, describeAddress } from "../process/index.ts";
import type { KernelHooks, KernelOptions } from "./options.ts";
import { initialLimits } from "./resource-limits.ts";
import { defaultAction, SIGNALS } from "./signal-numbers.ts";
import type { ProcessState, Thread } from "./state.ts";

export const PID = 1000;
export const PARENT_PID = 999;

export class Process {
  readonly memory: GuestMemory;
  readonly cpu: Cpu;
  readonly options: KernelOptions;
  readonly hooks: KernelHooks;
  readonly space: AddressSpace;
  files!: GuestFiles;
  state: ProcessState;
  /**
   * The current thread's right to the CPU must be looked at again: somebody woke up, a timer was set, it yields. Not part
   * of the state: looking again too often changes nothing.
   */
  reschedule = false;
  readonly #noticed = new Set<string>();

  constructor(memory: GuestMemory, cpu: Cpu, options: KernelOptions, hooks: KernelHooks) {
    this.memory = memory;
    this.cpu = cpu;
    this.options = options;
    this.hooks = hooks;
    this.space = new AddressSpace(memory, () => this.files, {
      limitBytes: options.limits.memory,
      isPersistent: (path) => options.isPersistent(path),
      isWatched: (inode) => options.isWatched(inode),
      watchedGoes: () => hooks.watchedGoes?.(),
      persistentChanged: (...change) => hooks.persistentChanged?.(...change),
      persistentWritten: (...written) => hooks.persistentWritten?.(...written),
      persistentSynced: (path) => hooks.persistentSynced?.(path),
      limitReached: (bytes) => this.notice(`the guest wanted more than its limit of ${bytes} bytes of memory (ENOMEM)`),
    });
    this.state = {
      threads: [],
      current: PID,
      nextTid: PID,
      random: seedRandom(options.seed),
      instructions: 0n,
      skipped: 0n,
      quantum: Number.POSITIVE_INFINITY,
      yielded: false,
      actions: Array.from({ length: SIGNALS + 1 }, () => defaultAction),
      pending: [],
      futexOrder: 0,
      timers: Array.from({ length: 3 }, () => ({ deadline: 0n, interval: 0n })),
      posixTimers: [],
      limits: initialLimits(options),
      personality: 0,
      dumpable: 1,
      program: { executable: "", argv: [], environment: [], auxiliary: new Uint8Array() },
      outcome: undefined,
    };
  }

  get current(): Thread {
    const thread = this.thread(this.state.current);
    assert(thread !== undefined, "kernel: the current thread exists");
    return thread;
  }
  thread(tid: number): Thread | undefined {
    return this.state.threads.find((thread) => thread.tid === tid);
  }
  get livingThreads(): readonly Thread[] {
    return this.state.threads.filter(({ status }) => status.kind !== "exited");
  }

  /** The monotonic clock. */
  now(): bigint {
    return this.state.instructions + this.state.skipped;
  }
  wallClock(): bigint {
    return this.options.epoch + this.now();
  }

  randomBelow(limit: number): number {
    assert(limit > 0, "kernel: there is something to choose from");
    return below(this.state.random, limit);
  }
  fillRandom(into: Uint8Array): void {
    for (let at = 0; at < into.length; at += 4) {
      let word = next32(this.state.random);
      for (let i = at; i < Math.min(at + 4, into.length); i++, word >>>= 8) into[i] = word;
    }
  }

  notice(line: string): void {
    if (this.#noticed.has(line)) return;
    this.#noticed.add(line);
    this.hooks.notice?.(line);
  }
  /** Of the call under way. */
  noticeUnsupported(call: string, why: string): void {
    this.hooks.unsupported?.(call);
    const site = this.site(Number(this.cpu.rip) - 2);
    this.notice(`the guest called ${call} at ${site}, which is not supported: ${why}`);
  }
  site(address: number): string {
    return describeAddress(this.space.state.areas, this.files, address);
  }
}
