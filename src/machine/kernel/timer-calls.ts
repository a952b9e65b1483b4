/** System calls about timers: setitimer(2), alarm(2), timer_create(2) and kin. */
import { errno } from "../files/index.ts";
import type { Call, Handler, Result } from "./call.ts";
import { SIG, SIGNALS } from "./signal-numbers.ts";
import type { PosixTimer } from "./state.ts";
import { isClock, isCpuClock, readTimespec, readTimeval, timespec, timeval } from "./time-calls.ts";
import { posixClock, timerClock } from "./timers.ts";

const NANOSECONDS = 1_000_000_000n;

/** Interval, then time left, in the bytes of two timevals or timespecs. */
function pairBytes(encode: (time: bigint) => Uint8Array, interval: bigint, left: bigint): Uint8Array {
  const bytes = new Uint8Array(32);
  bytes.set(encode(interval), 0);
  bytes.set(encode(left), 16);
  return bytes;
}

/** A running timer never says that no time is left. */
const leftOf = (deadline: bigint, clock: bigint): bigint =>
  deadline === 0n ? 0n : deadline - clock > 1000n ? deadline - clock : 1000n;

function intervalBytes(call: Call, which: number): Uint8Array {
  const { deadline, interval } = call.process.state.timers[which]!;
  return pairBytes(timeval, interval, leftOf(deadline, timerClock(call.process, which)));
}

function setInterval(call: Call, which: number, after: bigint, interval: bigint): void {
  const { state } = call.process;
  const deadline = after === 0n ? 0n : timerClock(call.process, which) + after;
  state.timers = state.timers.with(which, { deadline, interval });
  call.process.reschedule = true;
}

function getitimer(call: Call): Result {
  const which = call.unsigned(0);
  return which > 2 ? -errno.EINVAL : call.put(call.size(1), intervalBytes(call, which));
}

function setitimer(call: Call): Result {
  const which = call.unsigned(0);
  if (which > 2) return -errno.EINVAL;
  const address = call.size(1);
  const [interval, after] = address === 0 ? [0n, 0n] : [readTimeval(call, address), readTimeval(call, address + 16)];
  if (typeof interval === "number") return interval;
  if (typeof after === "number") return after;
  const failed = call.putIfWanted(call.size(2), () => intervalBytes(call, which));
  if (failed < 0) return failed;
  setInterval(call, which, after, interval);
  return 0;
}

function alarm(call: Call): Result {
  const { deadline } = call.process.state.timers[0]!;
  const left = deadline === 0n ? 0n : deadline - call.process.now();
  setInterval(call, 0, BigInt(call.unsigned(0)) * NANOSECONDS, 0n);
  return left === 0n ? 0 : Number((left + NANOSECONDS / 2n) / NANOSECONDS) || 1;
}

const SIGEV = { SIGNAL: 0, NONE: 1, THREAD: 2, THREAD_ID: 4 } as const;
const MAX_TIMERS = 1024;

function timerCreate(call: Call): Result {
  const clock = call.int(0);
  if (!isClock(call, clock)) return -errno.EINVAL;
  const { state } = call.process;
  const id = state.posixTimers.reduce((highest, timer) => Math.max(highest, timer.id), -1) + 1;
  const event = call.size(1) === 0 ? undefined : call.view(call.size(1), 64);
  if (call.size(1) !== 0 && event === undefined) return -errno.EFAULT;
  const notify = event?.getInt32(12, true) ?? SIGEV.SIGNAL;
  const signal = event?.getInt32(8, true) ?? SIG.ALRM;
  const tid = notify === SIGEV.THREAD_ID ? event!.getInt32(16, true) : 0;
  if (!(Object.values(SIGEV) as number[]).includes(notify)) return -errno.EINVAL;
  if (notify !== SIGEV.NONE && (signal < 1 || signal > SIGNALS)) return -errno.EINVAL;
  if (tid !== 0 && call.process.thread(tid) === undefined) return -errno.EINVAL;
  if (state.posixTimers.length >= MAX_TIMERS) return -errno.EAGAIN;
  const timer: PosixTimer = {
    id,
    cpu: isCpuClock(clock),
    wall: clock === 0,
    signal: notify === SIGEV.NONE ? 0 : signal,
    tid,
    value: event?.getBigUint64(0, true) ?? BigInt(id),
    deadline: 0n,
    interval: 0n,
    overrun: 0,
  };
  if (!call.memory.writeU32(call.size(2), id)) return -errno.EFAULT;
  state.posixTimers = [...state.posixTimers, timer];
  return 0;
}

const withTimer =
  (run: (call: Call, timer: PosixTimer, index: number) => Result): Handler =>
  (call) => {
    const index = call.process.state.posixTimers.findIndex(({ id }) => id === call.int(0));
    return index < 0 ? -errno.EINVAL : run(call, call.process.state.posixTimers[index]!, index);
  };

const posixBytes = (call: Call, timer: PosixTimer): Uint8Array =>
  pairBytes(timespec, timer.interval, leftOf(timer.deadline, posixClock(call.process, timer)));

const TIMER_ABSTIME = 1;

const timerSettime = withTimer((call, timer, index) => {
  const { process } = call;
  const address = call.size(2);
  const [interval, value] = [readTimespec(call, address), readTimespec(call, address + 16)];
  if (typeof interval === "number") return interval;
  if (typeof value === "number") return value;
  const failed = call.putIfWanted(call.size(3), () => posixBytes(call, timer));
  if (failed < 0) return failed;
  const start = timer.wall ? process.options.epoch : 0n;
  const absolute = (call.int(1) & TIMER_ABSTIME) !== 0;
  const deadline = value === 0n ? 0n : absolute ? value - start : posixClock(process, timer) + value;
  const due = value !== 0n && deadline <= 0n ? 1n : deadline;
  process.state.posixTimers = process.state.posixTimers.with(index, { ...timer, deadline: due, interval, overrun: 0 });
  process.reschedule = true;
  return 0;
});

export const timerCalls = {
  getitimer,
  setitimer,
  alarm,
  timer_create: timerCreate,
  timer_settime: timerSettime,
  timer_gettime: withTimer((call, timer) => call.put(call.size(1), posixBytes(call, timer))),
  timer_getoverrun: withTimer((_, timer) => timer.overrun),
  timer_delete: withTimer(({ process }, _, index) => {
    process.state.posixTimers = process.state.posixTimers.toSpliced(index, 1);
    return 0;
  }),
} as const satisfies Record<string, Handler>;
