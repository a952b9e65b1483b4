/** Joins a schedule of threads to the machine: the kernel's questions, the trace's records, and calls that drain buffers. */
import { assert } from "../../base/index.ts";
import type { Kernel, KernelHooks } from "../kernel/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { gpr } from "../process/index.ts";
import { info } from "../runtime/index.ts";
import { Interleaving, Meetings, type ScheduleOptions, type ThreadOrder } from "../schedule/index.ts";
import type { Tracer } from "./tracer.ts";

/** Calls that take effect on all processors at once: mappings change, or the process ends. */
const interruptingCalls: ReadonlySet<string> = new Set([
  ...["munmap", "mremap", "mprotect", "madvise", "membarrier", "msync"],
  ...["ftruncate", "truncate", "fallocate", "fork", "vfork", "execve", "exit_group", "kill", "tgkill"],
]);
const MAP_FIXED = 0x10n;

export interface ThreadOptions {
  readonly schedule?: ScheduleOptions | undefined;
  readonly meetings?: boolean;
}

export class ScheduledThreads {
  readonly #memory: GuestMemory;
  readonly #tracer: Tracer;
  readonly #kernel: () => Kernel;
  readonly #meetings: Meetings | undefined;
  interleaving: Interleaving;

  constructor(options: ThreadOptions, memory: GuestMemory, tracer: Tracer | undefined, kernel: () => Kernel) {
    assert(tracer !== undefined, "machine: threads run by a schedule only where they are traced");
    this.#memory = memory;
    this.#tracer = tracer;
    this.#kernel = kernel;
    const isSharedPage = (page: number) => (memory.infoOf(page) & info.shared) !== 0;
    this.#meetings = options.meetings ? new Meetings(isSharedPage) : undefined;
    this.interleaving = this.begin(options.schedule);
  }

  /** What threads read of each other, where that is asked for. */
  get order(): ThreadOrder | undefined {
    return this.#meetings?.order;
  }

  begin(schedule: ScheduleOptions | undefined): Interleaving {
    assert(!this.interleaving?.isOn, "machine: a schedule begins while one thread is alive");
    const rsp = () => Number(BigInt.asUintN(32, this.#kernel().cpu.gpr(gpr.rsp)));
    const options = { schedule, meetings: this.#meetings };
    this.interleaving = new Interleaving(this.#memory, options, {
      drainLog: () => this.#tracer.drain(),
      emit: this.#tracer.emit,
      mapped: () => this.#kernel().areas,
      stack: () => this.#kernel().areaAt(rsp()),
      events: () => this.#tracer.events,
    });
    this.#tracer.interleaving = this.interleaving;
    return this.interleaving;
  }

  /** The kernel stores for the thread that it runs. */
  kernelStored(address: number, length: number): void {
    if (this.interleaving.isOn) this.interleaving.kernelStored(this.#kernel().currentThread, address, length);
  }
  forgotten(page: number): void {
    this.#meetings?.forget(page);
  }

  /** The kernel's hooks, with ours before the caller's. */
  hooks(outer: KernelHooks): KernelHooks {
    return {
      ...outer,
      chooseTurn: (tids, yielded) => this.interleaving.choose(tids, yielded),
      interrupted: (tid) => this.interleaving.interrupt(tid),
      threadStarted: (tid, parent) => {
        this.interleaving.threadStarted(tid, parent);
        outer.threadStarted?.(tid, parent);
      },
      threadWoken: (tid, by) => {
        this.interleaving.threadWoken(tid, by);
        outer.threadWoken?.(tid, by);
      },
      threadEnded: (tid) => {
        this.interleaving.threadEnded();
        outer.threadEnded?.(tid);
      },
    };
  }

  /** The running thread makes a call, or faults. */
  enterKernel(isCall: boolean): void {
    if (this.interleaving.isOn) this.interleaving.enterKernel(isCall && this.#interruptsAll() ? "all" : "alone");
  }

  #interruptsAll(): boolean {
    const { callName, cpu } = this.#kernel();
    return interruptingCalls.has(callName ?? "") || (callName === "mmap" && (cpu.gpr(gpr.r10) & MAP_FIXED) !== 0n);
  }
}
