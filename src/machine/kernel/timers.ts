/**
 * Interval timers (setitimer(2)) and POSIX timers (timer_create(2)). A timer runs on real time, which passes while
 * threads sleep, or on CPU time, which does not. A deadline of 0 means the timer is off.
 */
import { assert } from "../../base/index.ts";
import type { Process } from "./process.ts";
import { kernelSignal, timerSignal } from "./siginfo.ts";
import { SI, SIG } from "./signal-numbers.ts";
import { sendToProcess, sendToThread } from "./signals.ts";
import type { PosixTimer } from "./state.ts";

const intervalSignals = [SIG.ALRM, SIG.VTALRM, SIG.PROF] as const;

/** The clock of an interval timer: ITIMER_REAL, or one of the two that count CPU time. */
export const timerClock = (process: Process, which: number): bigint =>
  which === 0 ? process.now() : process.state.instructions;

export const posixClock = (process: Process, { cpu }: PosixTimer): bigint =>
  cpu ? process.state.instructions : process.now();

interface Due {
  readonly deadline: bigint;
  readonly interval: bigint;
}

/** The timer after it fired at `clock`, and how many further times it should have. */
function next({ deadline, interval }: Due, clock: bigint): { readonly deadline: bigint; readonly missed: bigint } {
  assert(deadline !== 0n && deadline <= clock, "kernel: a timer fires when its time has come");
  if (interval === 0n) return { deadline: 0n, missed: 0n };
  const missed = (clock - deadline) / interval;
  return { deadline: deadline + (missed + 1n) * interval, missed };
}

const isDue = ({ deadline }: Due, clock: bigint): boolean => deadline !== 0n && deadline <= clock;

export function fireTimers(process: Process): void {
  assert(process.state.timers.length === intervalSignals.length, "kernel: every interval timer has its signal");
  process.state.timers.forEach((timer, which) => {
    const clock = timerClock(process, which);
    if (!isDue(timer, clock)) return;
    const { deadline } = next(timer, clock);
    process.state.timers = process.state.timers.with(which, { ...timer, deadline });
    sendToProcess(process, kernelSignal(intervalSignals[which]!, SI.KERNEL));
  });
  process.state.posixTimers.forEach((timer, index) => {
    const clock = posixClock(process, timer);
    if (!isDue(timer, clock)) return;
    const { deadline, missed } = next(timer, clock);
    const overrun = firePosix(process, timer) ? Number(missed) : timer.overrun + Number(missed) + 1;
    process.state.posixTimers = process.state.posixTimers.with(index, { ...timer, deadline, overrun });
  });
}

/** False when the signal of an earlier time is still pending: that counts as an overrun. */
function firePosix(process: Process, timer: PosixTimer): boolean {
  if (timer.signal === 0) return true;
  const thread = timer.tid === 0 ? undefined : process.thread(timer.tid);
  if (timer.tid !== 0 && thread === undefined) return true;
  const signal = timerSignal(timer);
  const waiting = (thread ?? process.state).pending.some(
    ({ info, signal: number }) => number === timer.signal && info[16] === signal.info[16],
  );
  if (waiting) return false;
  if (thread === undefined) sendToProcess(process, signal);
  else sendToThread(process, thread, signal);
  return true;
}

/** The first deadline on real time and the first on CPU time. */
export function timerDeadlines({ state }: Process): {
  readonly real: bigint | undefined;
  readonly cpu: bigint | undefined;
} {
  let real: bigint | undefined;
  let cpu: bigint | undefined;
  const note = (deadline: bigint, onCpu: boolean) => {
    if (deadline === 0n) return;
    if (onCpu) cpu = cpu === undefined || deadline < cpu ? deadline : cpu;
    else real = real === undefined || deadline < real ? deadline : real;
  };
  state.timers.forEach(({ deadline }, which) => {
    note(deadline, which !== 0);
  });
  for (const timer of state.posixTimers) note(timer.deadline, timer.cpu);
  return { real, cpu };
}
