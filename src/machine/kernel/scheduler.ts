/**
 * Which thread runs, for how many instructions, and how time passes. Always:
 * - The order of threads depends on the seed (or `chooseThread`) and the guest's own doings alone.
 * - A thread's turn ends when its quantum is used up, it blocks, yields or ends; alone, it runs on.
 * - Time is instructions run; when all threads sleep, it jumps to the first deadline.
 */
import { assert } from "../../base/index.ts";
import { gpr } from "../process/index.ts";
import { cell, cpuAddress } from "../runtime/index.ts";
import type { Process } from "./process.ts";
import { leaveRestartableSequence } from "./restartable-sequence.ts";
import type { Thread, ThreadReport, Wait } from "./state.ts";
import { fireTimers, timerDeadlines } from "./timers.ts";

/** Fuel when nothing else bounds it: far beyond any run, exact as a number. */
const UNBOUNDED = 2 ** 50;

export function block(thread: Thread, wait: Wait): void {
  assert(thread.status.kind !== "exited", "kernel: an ended thread waits for nothing");
  thread.status = { kind: "blocked", wait };
}

export const isReady = ({ status }: Thread): boolean => status.kind === "runnable" || status.kind === "resuming";

/** Ends the waits whose time or reason has come, and fires timers. */
export function wakeSleepers(process: Process): void {
  const now = process.now();
  fireTimers(process);
  const changes = process.files.changeCount();
  for (const thread of process.state.threads) {
    if (thread.status.kind !== "blocked") continue;
    const { wait } = thread.status;
    if (wait.kind === "files" && wait.seen !== changes) thread.status = { kind: "resuming", wait, by: "ready" };
    else if (wait.deadline !== undefined && wait.deadline <= now)
      thread.status = { kind: "resuming", wait, by: "timeout" };
  }
}

/** Whether a pipe, eventfd or descriptor that somebody waits for has changed. */
export function filesMoved(process: Process): boolean {
  const changes = process.files.changeCount();
  return process.state.threads.some(
    ({ status }) => status.kind === "blocked" && status.wait.kind === "files" && status.wait.seen !== changes,
  );
}

/** The next instant at which something happens by itself. */
function nextDeadline(process: Process): bigint | undefined {
  let first = timerDeadlines(process).real;
  for (const { status } of process.state.threads) {
    if (status.kind !== "blocked" || status.wait.deadline === undefined) continue;
    if (first === undefined || status.wait.deadline < first) first = status.wait.deadline;
  }
  return first;
}

/** When every thread waits: jumps to the next deadline. False when there is none: a deadlock. */
export function skipTime(process: Process): boolean {
  const deadline = nextDeadline(process);
  if (deadline === undefined) return false;
  const now = process.now();
  if (deadline > now) process.state.skipped += deadline - now;
  return true;
}

/** The thread to run next, among those that can. */
export function choose(process: Process, ready: readonly Thread[]): Thread {
  const { state, hooks, options } = process;
  assert(ready.length > 0, "kernel: somebody can run when a thread is chosen");
  const turn = hooks.chooseTurn?.(
    ready.map(({ tid }) => tid),
    state.yielded ? state.current : undefined,
  );
  if (turn !== undefined) {
    const chosen = ready.find(({ tid }) => tid === turn.tid);
    assert(chosen !== undefined, "kernel: the turn chosen is of a thread that can run");
    state.quantum = turn.quantum;
    return chosen;
  }
  const current = ready.find(({ tid }) => tid === state.current);
  if (ready.length === 1) {
    state.quantum = Number.POSITIVE_INFINITY;
    return ready[0]!;
  }
  const fresh = () => Math.ceil(options.quantum / 2) + process.randomBelow(options.quantum);
  if (current !== undefined && !state.yielded) {
    if (state.quantum === Number.POSITIVE_INFINITY) state.quantum = fresh();
    if (state.quantum > 0) return current;
  }
  state.quantum = fresh();
  const others = state.yielded ? ready.filter((thread) => thread !== current) : ready;
  const tids = others.map(({ tid }) => tid);
  const chosen = others[hooks.chooseThread?.(tids) ?? process.randomBelow(others.length)];
  assert(chosen !== undefined, "kernel: the thread chosen is one of those that were offered");
  return chosen;
}

/** Puts a thread's registers into the CPU block. */
export function switchTo(process: Process, thread: Thread): void {
  const { state, cpu, memory } = process;
  assert(isReady(thread), "kernel: only a thread that can run gets the CPU");
  state.yielded = false;
  if (thread.tid !== state.current) {
    const previous = process.thread(state.current);
    if (previous !== undefined && previous.status.kind !== "exited") {
      previous.registers = cpu.save();
    }
    cpu.load(thread.registers);
    state.current = thread.tid;
    leaveRestartableSequence(process, thread);
  }
  memory.view.setInt32(cpuAddress(cell.thread), thread.tid, true);
}

/** Instructions until something else must happen. */
export function fuelFor(process: Process): number {
  const { state, options } = process;
  let fuel = Math.min(UNBOUNDED, state.quantum, options.limits.instructions - Number(state.instructions));
  const deadline = nextDeadline(process);
  if (deadline !== undefined) fuel = Math.min(fuel, Number(deadline - process.now()));
  const { cpu } = timerDeadlines(process);
  if (cpu !== undefined) fuel = Math.min(fuel, Number(cpu - state.instructions));
  assert(Number.isSafeInteger(fuel), "kernel: fuel is a whole number of instructions");
  return Math.max(1, fuel);
}

const reasons: Readonly<Record<Wait["kind"], (wait: Wait) => string>> = {
  futex: (wait) => `a futex at 0x${(wait as Wait & { kind: "futex" }).key.toString(16)}`,
  files: () => "a pipe, eventfd or poll",
  sleep: () => "time to pass",
  signals: () => "a signal",
};

export function reportThreads(process: Process): readonly ThreadReport[] {
  return process.livingThreads.map((thread) => {
    const { tid, name, status } = thread;
    const saved = tid === process.state.current ? process.cpu.save() : thread.registers;
    const rip = Number(new DataView(saved.buffer, saved.byteOffset).getBigUint64(RIP, true));
    const waitsFor = status.kind === "blocked" ? reasons[status.wait.kind](status.wait) : "the CPU";
    return { tid, name, rip, site: process.site(rip), waitsFor };
  });
}

const RIP = 8 * (gpr.r15 + 1);
