/**
 * Sending signals and acting on them (signal(7)). Always:
 * - An ignored signal leaves no trace, unless the thread blocks it and may be waiting for it.
 * - A standard signal is pending at most once in each place; real-time ones queue.
 * - A signal that wakes a blocked thread is still pending when the thread gets the CPU.
 */
import { assert } from "../../base/index.ts";
import { noTrap, pushFrame, type TrapDetails } from "./frame.ts";
import type { Process } from "./process.ts";
import { leaveRestartableSequence } from "./restartable-sequence.ts";
import { addressOf, faultSignal } from "./siginfo.ts";
import { defaultAction, isIgnored, maskBit, SA, SI, SIG, SIG_DFL, SIG_IGN, signalName } from "./signal-numbers.ts";
import type { Outcome, PendingSignal, SignalAction, Thread } from "./state.ts";

const FIRST_REALTIME = 32;
const MAX_QUEUED = 1024;

export function actionOf(process: Process, signal: number): SignalAction {
  const action = process.state.actions[signal];
  assert(signal > 0 && action !== undefined, "kernel: signals are numbered from 1 to 64");
  return action;
}

export function setAction(process: Process, signal: number, action: SignalAction): void {
  assert(signal > 0 && signal < process.state.actions.length, "kernel: signals are numbered from 1 to 64");
  process.state.actions = process.state.actions.with(signal, action);
}

const blocks = (thread: Thread, signal: number): boolean => (thread.mask & maskBit(signal)) !== 0n;

function waitsFor({ status }: Thread, signal: number): boolean {
  return status.kind === "blocked" && status.wait.kind === "signals" && (status.wait.set & maskBit(signal)) !== 0n;
}

function queued(list: readonly PendingSignal[], pending: PendingSignal): readonly PendingSignal[] {
  const again = pending.signal < FIRST_REALTIME && list.some(({ signal }) => signal === pending.signal);
  return again || list.length >= MAX_QUEUED ? list : [...list, pending];
}

/** To one thread. */
export function sendToThread(process: Process, thread: Thread, pending: PendingSignal): void {
  const { signal } = pending;
  if (isIgnored(signal, actionOf(process, signal)) && !blocks(thread, signal) && !waitsFor(thread, signal)) return;
  thread.pending = queued(thread.pending, pending);
  nudge(process, thread, signal);
}

/** To the process: the first thread that wants it takes it, the main thread before others. */
export function sendToProcess(process: Process, pending: PendingSignal): void {
  const { signal } = pending;
  const threads = process.livingThreads;
  const ignored = isIgnored(signal, actionOf(process, signal));
  const waiter = threads.find((thread) => waitsFor(thread, signal));
  if (ignored && waiter === undefined && !threads.every((thread) => blocks(thread, signal))) return;
  process.state.pending = queued(process.state.pending, pending);
  const taker = waiter ?? threads.find((thread) => !blocks(thread, signal));
  if (taker !== undefined) nudge(process, taker, signal);
}

function nudge(process: Process, thread: Thread, signal: number): void {
  process.reschedule = true;
  const { status } = thread;
  if (status.kind !== "blocked") return;
  if (waitsFor(thread, signal)) thread.status = { kind: "resuming", wait: status.wait, by: "ready" };
  else if (!blocks(thread, signal)) thread.status = { kind: "resuming", wait: status.wait, by: "signal" };
}

/** Takes the first pending signal in `set`, the thread's own before the process's, lower numbers first. */
export function takePending(process: Process, thread: Thread, set: bigint): PendingSignal | undefined {
  for (const holder of [thread, process.state]) {
    const candidates = holder.pending.filter(({ signal }) => (set & maskBit(signal)) !== 0n);
    if (candidates.length === 0) continue;
    const first = candidates.reduce((best, next) => (next.signal < best.signal ? next : best));
    holder.pending = holder.pending.toSpliced(holder.pending.indexOf(first), 1);
    return first;
  }
  return undefined;
}

/** The signal the thread would act on next, left pending. */
export function nextDeliverable(process: Process, thread: Thread): PendingSignal | undefined {
  for (const { pending } of [thread, process.state]) {
    const candidates = pending.filter(
      ({ signal }) => !blocks(thread, signal) && !isIgnored(signal, actionOf(process, signal)),
    );
    if (candidates.length > 0) return candidates.reduce((best, next) => (next.signal < best.signal ? next : best));
  }
  return undefined;
}

/** Acts on every signal the current thread does not block, before it goes on in user code. */
export function deliverPending(process: Process): void {
  const thread = process.current;
  while (process.state.outcome === undefined && (thread.pending.length > 0 || process.state.pending.length > 0)) {
    const next = takePending(process, thread, ~thread.mask);
    if (next === undefined) break;
    deliver(process, thread, next, noTrap);
  }
  if (thread.savedMask !== undefined) {
    thread.mask = thread.savedMask;
    thread.savedMask = undefined;
  }
}

function deliver(process: Process, thread: Thread, pending: PendingSignal, trap: TrapDetails): void {
  assert(process.state.outcome === undefined, "kernel: an ended process gets no signal");
  assert(thread.tid === process.state.current, "kernel: a signal is acted on by the thread that has the CPU");
  const { signal } = pending;
  const action = actionOf(process, signal);
  if (isIgnored(signal, action)) return;
  if (action.handler === SIG_DFL) {
    process.state.outcome = killedBy(process, pending, trap);
    return;
  }
  leaveRestartableSequence(process, thread);
  if (!pushFrame(process, thread, action, pending, trap)) {
    if (signal === SIG.SEGV) setAction(process, SIG.SEGV, defaultAction);
    forceSignal(process, faultSignal(SIG.SEGV, SI.KERNEL, 0n), trap);
    return;
  }
  if (action.flags & SA.RESETHAND) setAction(process, signal, { ...action, handler: SIG_DFL });
  thread.mask |= action.mask | (action.flags & SA.NODEFER ? 0n : maskBit(signal));
  thread.savedMask = undefined;
}

/** A fault of the current thread: a signal it cannot block or ignore. */
export function forceSignal(process: Process, pending: PendingSignal, trap: TrapDetails): void {
  const thread = process.current;
  const { signal } = pending;
  if (blocks(thread, signal) || actionOf(process, signal).handler === SIG_IGN) {
    setAction(process, signal, defaultAction);
    thread.mask &= ~maskBit(signal);
  }
  deliver(process, thread, pending, trap);
}

const faults: ReadonlySet<number> = new Set([SIG.SEGV, SIG.BUS]);

function killedBy(process: Process, pending: PendingSignal, trap: TrapDetails): Outcome {
  const rip = Number(process.cpu.rip);
  const { signal } = pending;
  return {
    kind: "signal",
    signal,
    name: signalName(signal),
    tid: process.state.current,
    rip,
    site: process.site(rip),
    address: faults.has(signal) && trap !== noTrap ? addressOf(pending) : undefined,
  };
}
