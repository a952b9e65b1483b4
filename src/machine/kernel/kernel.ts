/**
 * The Linux kernel for one guest process, as the machine drives it:
 *
 *   boot → loop: schedule() → run up to `fuel` instructions → chargeInstructions → syscall() | raise(fault) | schedule()
 *
 * Always:
 * - Registers of the current thread are in the CPU block; rip is past the instruction at a syscall.
 * - Fuel is exact: the machine comes back with precisely what it ran, and never runs more.
 * - `snapshot` is plain data; guest memory is snapshotted by its owner at the same instant.
 */
import { assert } from "../../base/index.ts";
import type { GuestFiles, InodeId } from "../files/index.ts";
import { errno } from "../files/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { type Area, Cpu, gpr, inodeNamed, listAreas, type PoolNames } from "../process/index.ts";
import { pageSize } from "../runtime/index.ts";
import { Call, type Result } from "./call.ts";
import { processFacts } from "./facts.ts";
import { type Fault, raiseFault } from "./faults.ts";
import { type CreateFiles, defaultKernelOptions, type KernelHooks, type KernelOptions } from "./options.ts";
import { PID, Process } from "./process.ts";
import { resumedResult } from "./resume.ts";
import {
  block,
  choose,
  filesMoved,
  fuelFor,
  isReady,
  reportThreads,
  skipTime,
  switchTo,
  wakeSleepers,
} from "./scheduler.ts";
import { deliverPending, nextDeliverable } from "./signals.ts";
import { type Invocation, resolveScripts, startProgram, threadName } from "./start.ts";
import { copyState, type KernelState, type Outcome } from "./state.ts";
import { rowOf } from "./table.ts";
import { exitProcess, exitThread, newThread } from "./threads.ts";

/** Go on with the current thread and its remaining fuel, ask `schedule`, or stop. */
export type Step = "continue" | "switch" | Outcome;

export type Turn = { readonly kind: "run"; readonly tid: number; readonly fuel: number } | Outcome;

export class Kernel {
  readonly files: GuestFiles;
  readonly cpu: Cpu;
  readonly #process: Process;
  #isDynamic = false;

  constructor(
    memory: GuestMemory,
    createFiles: CreateFiles,
    options: Partial<KernelOptions> = {},
    hooks: KernelHooks = {},
  ) {
    this.cpu = new Cpu(memory);
    const process = new Process(memory, this.cpu, { ...defaultKernelOptions, ...options }, hooks);
    this.files = createFiles({
      mapped: process.space.pages,
      process: processFacts(process),
      now: () => process.wallClock(),
      random: (into) => process.fillRandom(into),
      limitReached: (what, limit) => process.notice(`the guest wanted more than its limit of ${limit} ${what}`),
    });
    process.files = this.files;
    this.#process = process;
  }

  /** Loads a program into empty memory. Strings are byte strings: a character per byte. Throws InputError. */
  boot(path: string, argv: readonly string[], environment: readonly string[]): void {
    const process = this.#process;
    assert(process.state.threads.length === 0, "kernel: a kernel boots once");
    const asked: Invocation = { path, argv, environment };
    const found = resolveScripts(this.files, asked);
    // What cannot be run is refused in the words of the loader.
    this.#isDynamic = startProgram(process, typeof found === "number" ? asked : found).isDynamic;
    process.state.threads = [newThread(PID, this.cpu.save(), threadName(path))];
    process.state.nextTid = PID + 1;
  }

  /** The program that runs, and of a script what runs it. */
  get executable(): string {
    return this.#process.state.program.executable;
  }
  /** Whether a dynamic linker starts the program. */
  get isDynamic(): boolean {
    return this.#isDynamic;
  }
  /** Whether it has one thread and no timer. */
  get isAlone(): boolean {
    const { threads, timers, posixTimers } = this.#process.state;
    return threads.length === 1 && [...timers, ...posixTimers].every(({ deadline }) => deadline === 0n);
  }
  get currentThread(): number {
    return this.#process.state.current;
  }
  get outcome(): Outcome | undefined {
    return this.#process.state.outcome;
  }
  /** Instructions the guest has run. */
  get instructions(): bigint {
    return this.#process.state.instructions;
  }
  /** The monotonic clock, which is the time-stamp counter too: nanoseconds. */
  now(): bigint {
    return this.#process.now();
  }
  /** A code address as people look for it. */
  site(address: number): string {
    return this.#process.site(address);
  }
  /** Pages that show the same file page as this one, for stores to `shared` pages. */
  aliasesOf(page: number): readonly number[] {
    return this.#process.space.pages.aliasesOf(page);
  }
  /** A page is used for the guest that is not there; true: now it is. */
  appear(page: number): boolean {
    return this.#process.space.pages.appearAt(page * pageSize);
  }
  /** Addresses whose use let pages come since this was last asked. */
  takeAppeared(): readonly number[] {
    return this.#process.space.pages.takeAppeared();
  }
  get areas(): readonly Area[] {
    return listAreas(this.#process.space.state.areas);
  }
  areaAt(address: number) {
    return this.#process.space.areaAt(address);
  }
  /** Of the run so far. */
  get poolNames(): PoolNames {
    return this.#process.space.state.poolNames;
  }
  set poolNames(names: PoolNames) {
    this.#process.space.setPoolNames(names);
  }
  /** The lasting name of a file that is a pool, or that it would have (process/pool-names.ts). */
  poolName(inode: InodeId): string {
    return this.#process.space.poolName(inode);
  }
  /** A file is the pool of this name from here on, or of the name that it would have. */
  namePool(inode: InodeId, name?: string): void {
    this.#process.space.namePool(inode, name);
  }
  /** A crash left the pool without a file. */
  losePool(name: string): void {
    this.#process.space.losePool(name);
  }
  /** The file that is a pool: known by its name, or found at the path that is its name. */
  pool(name: string): InodeId | undefined {
    const known = inodeNamed(this.poolNames, name);
    if (known !== undefined) return this.files.isAlive(known) ? known : undefined;
    const found = this.files.find(name);
    return found >= 0 && this.poolName(found as InodeId) === name ? (found as InodeId) : undefined;
  }
  /** Makes a file's bytes what they might always have been, also where they are mapped. */
  layBytes(inode: InodeId, offset: number, bytes: Uint8Array): void {
    this.#process.space.pages.layBytes(inode, offset, bytes);
  }

  chargeInstructions(count: number): void {
    const { state, current } = this.#process;
    state.instructions += BigInt(count);
    current.instructions += BigInt(count);
    state.quantum -= count;
    assert(state.instructions >= 0n, "kernel: no more instructions are taken back than have run");
  }

  /** The name of the call that the current thread makes. */
  get callName(): string | undefined {
    return rowOf(Number(BigInt.asIntN(32, this.cpu.gpr(gpr.rax))))?.name;
  }

  /** Handles the system call of the current thread. */
  syscall(): Step {
    assert(this.outcome === undefined, "kernel: an ended process makes no calls");
    const { cpu } = this;
    cpu.setGpr(gpr.rcx, cpu.rip);
    cpu.setGpr(gpr.r11, BigInt(cpu.eflags));
    return this.#run(new Call(this.#process, this.#process.current));
  }

  #run(call: Call): Step {
    const number = Number(BigInt.asIntN(32, this.cpu.gpr(gpr.rax)));
    const row = rowOf(number);
    if (row === undefined) return this.#finish(call, -errno.ENOSYS, `#${number}`);
    if ("run" in row) return this.#finish(call, row.run(call), row.name);
    this.#process.noticeUnsupported(row.name, row.unsupported);
    return this.#finish(call, -errno.ENOSYS, row.name);
  }

  #finish(call: Call, result: Result, name: string): Step {
    const process = this.#process;
    if (typeof result === "number" || typeof result === "bigint") {
      const value = BigInt.asUintN(64, BigInt(result));
      this.cpu.setGpr(gpr.rax, value);
      this.#restoreMask(value !== BigInt.asUintN(64, BigInt(-errno.EINTR)));
      process.hooks.returned?.(call.thread.tid, name, BigInt.asIntN(64, value));
    } else if (result.kind === "exit-thread") {
      exitThread(process, result.code);
      return process.state.outcome === undefined ? "switch" : this.#end();
    } else if (result.kind === "exit") exitProcess(process, result.code);
    else if (result.kind === "output-limit") {
      const message = "the guest wrote more output than its limit allows";
      process.state.outcome = { kind: "limit", limit: "output", message };
    } else if (result.kind !== "as-is") {
      block(call.thread, result);
      if (nextDeliverable(process, call.thread)) call.thread.status = { kind: "resuming", wait: result, by: "signal" };
      return "switch";
    }
    return this.#afterEvent();
  }

  #restoreMask(completed: boolean): void {
    const thread = this.#process.current;
    if (!completed || thread.savedMask === undefined) return;
    thread.mask = thread.savedMask;
    thread.savedMask = undefined;
  }

  #afterEvent(): Step {
    const process = this.#process;
    if (process.state.outcome === undefined) deliverPending(process);
    if (process.state.outcome !== undefined) return this.#end();
    const again = process.reschedule || filesMoved(process);
    process.reschedule = false;
    return again ? "switch" : "continue";
  }

  /** The current thread faulted. */
  raise(fault: Fault): Step {
    assert(this.outcome === undefined, "kernel: an ended process does not fault");
    raiseFault(this.#process, fault);
    return this.#afterEvent();
  }

  #end(): Outcome {
    const process = this.#process;
    assert(process.state.outcome !== undefined, "kernel: a process ends with an outcome");
    return process.state.outcome;
  }

  /** Hands shared mappings back to their files: for after the end, when files are to be looked at or kept. */
  writeBack(): void {
    this.#process.space.writeBack();
  }

  /** Picks the next thread and puts its registers into the CPU block. */
  schedule(): Turn {
    const process = this.#process;
    const { state } = process;
    assert(state.threads.length > 0, "kernel: a program is loaded before it runs");
    for (;;) {
      if (state.outcome !== undefined) return this.#end();
      if (Number(state.instructions) >= process.options.limits.instructions) return this.#outOfInstructions();
      wakeSleepers(process);
      const ready = state.threads.filter(isReady);
      if (ready.length === 0) {
        if (!skipTime(process)) state.outcome = { kind: "deadlock", threads: reportThreads(process) };
        continue;
      }
      const thread = choose(process, ready);
      switchTo(process, thread);
      if (thread.status.kind === "resuming") {
        if (this.#resume() === "switch") continue;
      } else {
        if (nextDeliverable(process, thread)) process.hooks.interrupted?.(thread.tid);
        deliverPending(process);
      }
      process.reschedule = false;
      if (state.outcome === undefined && isReady(thread))
        return { kind: "run", tid: thread.tid, fuel: fuelFor(process) };
    }
  }

  /** Takes up the call in which the current thread had blocked. */
  #resume(): Step {
    const thread = this.#process.current;
    assert(thread.status.kind === "resuming", "kernel: only a woken thread resumes");
    const { wait, by } = thread.status;
    const settled = resumedResult(this.#process, thread, wait, by);
    if (settled === "again") {
      thread.status = { kind: "blocked", wait };
      return "switch";
    }
    thread.status = { kind: "runnable" };
    const call = new Call(this.#process, thread, { wait, by });
    return settled === "call" ? this.#run(call) : this.#finish(call, settled, "resumed");
  }

  #outOfInstructions(): Outcome {
    const { instructions } = this.#process.options.limits;
    const message = `the guest ran ${instructions} instructions, which is its limit`;
    this.#process.state.outcome = { kind: "limit", limit: "instructions", message };
    return this.#end();
  }

  snapshot(): KernelState {
    const process = this.#process;
    const { state } = process;
    const running = process.thread(state.current);
    if (running !== undefined) running.registers = this.cpu.save();
    return { process: copyState(state), space: process.space.state, files: this.files.snapshot() };
  }

  restore(snapshot: KernelState): void {
    const process = this.#process;
    assert(snapshot.process.nextTid >= snapshot.process.threads.length, "kernel: every thread has a number of its own");
    process.state = copyState(snapshot.process);
    process.space.state = snapshot.space;
    process.reschedule = true;
    this.files.restore(snapshot.files);
    const running = process.thread(process.state.current);
    if (running !== undefined) this.cpu.load(running.registers);
  }
}

/** The thread name Linux gives: the file's last name, cut to 15 bytes. */
