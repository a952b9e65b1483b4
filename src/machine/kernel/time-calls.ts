/** System calls about time. All clocks follow the virtual one: instructions run plus time slept (scheduler.ts). */
import { errno } from "../files/index.ts";
import { type Call, type Handler, type Result, struct } from "./call.ts";
import type { Process } from "./process.ts";
import type { Thread, Wait } from "./state.ts";

const NANOSECONDS = 1_000_000_000n;
const MICROSECONDS = 1_000_000n;
/** The kernel's own bound: KTIME_MAX. */
const LONGEST = 2n ** 63n - 1n;

const pair = (seconds: bigint, part: bigint): Uint8Array =>
  struct(16, (view) => {
    view.setBigInt64(0, seconds, true);
    view.setBigInt64(8, part, true);
  });
export const timespec = (time: bigint): Uint8Array => pair(time / NANOSECONDS, time % NANOSECONDS);
export const timeval = (time: bigint): Uint8Array => pair(time / NANOSECONDS, (time % NANOSECONDS) / 1000n);

/** The struct timespec at an address, in nanoseconds, or a negative error number. */
export function readTimespec(call: Call, address: number): bigint | number {
  return readPair(call, address, NANOSECONDS);
}
export function readTimeval(call: Call, address: number): bigint | number {
  return readPair(call, address, MICROSECONDS);
}
function readPair(call: Call, address: number, unit: bigint): bigint | number {
  const view = call.view(address, 16);
  if (view === undefined) return -errno.EFAULT;
  const [seconds, part] = [view.getBigInt64(0, true), view.getBigInt64(8, true)];
  if (seconds < 0n || part < 0n || part >= unit) return -errno.EINVAL;
  const time = seconds * NANOSECONDS + part * (NANOSECONDS / unit);
  return BigInt.asIntN(64, time) === time ? time : LONGEST;
}

type Clock = (process: Process, thread: Thread) => bigint;
const wall: Clock = (process) => process.wallClock();
const monotonic: Clock = (process) => process.now();

/** By clockid_t. */
const clocks: Readonly<Record<number, Clock>> = {
  0: wall,
  1: monotonic,
  2: ({ state }) => state.instructions,
  3: (_, thread) => thread.instructions,
  4: monotonic,
  5: wall,
  6: monotonic,
  7: monotonic,
  8: wall,
  9: monotonic,
  11: wall,
};

/** Negative ids name a process's or thread's CPU clock: ~id in the upper bits, bit 2 for a thread (posix-timers.h). */
function clockOf(call: Call, id: number): Clock | undefined {
  if (id >= 0) return clocks[id];
  const tid = ~(id >> 3);
  if ((id & 3) === 3) return undefined;
  const thread = tid === 0 ? call.thread : call.process.thread(tid);
  if (thread === undefined) return undefined;
  return id & 4 ? () => thread.instructions : ({ state }) => state.instructions;
}

export const isClock = (call: Call, id: number): boolean => clockOf(call, id) !== undefined;
export const isCpuClock = (id: number): boolean => id < 0 || id === 2 || id === 3;

function clockGettime(call: Call): Result {
  const clock = clockOf(call, call.int(0));
  return clock === undefined ? -errno.EINVAL : call.put(call.size(1), timespec(clock(call.process, call.thread)));
}

function clockGetres(call: Call): Result {
  if (clockOf(call, call.int(0)) === undefined) return -errno.EINVAL;
  return call.putIfWanted(call.size(1), () => timespec(1n));
}

function gettimeofday(call: Call): Result {
  const failed = call.putIfWanted(call.size(0), () => timeval(call.process.wallClock()));
  return failed || call.putIfWanted(call.size(1), () => new Uint8Array(8));
}

function sleepUntil(call: Call, deadline: bigint, remainder: number): Wait | number {
  return deadline <= call.process.now() ? 0 : { kind: "sleep", deadline, remainder, restart: false };
}

function nanosleep(call: Call): Result {
  const time = readTimespec(call, call.size(0));
  return typeof time === "number" ? time : sleepUntil(call, call.process.now() + time, call.size(1));
}

const TIMER_ABSTIME = 1;

function clockNanosleep(call: Call): Result {
  const [id, flags] = [call.int(0), call.int(1)];
  const clock = clockOf(call, id);
  if (clock === undefined || id === 3) return -errno.EINVAL;
  const time = readTimespec(call, call.size(2));
  if (typeof time === "number") return time;
  if (!(flags & TIMER_ABSTIME)) return sleepUntil(call, call.process.now() + time, call.size(3));
  return sleepUntil(call, time - clock(call.process, call.thread) + call.process.now(), 0);
}

const TICK = 10_000_000n;

function times(call: Call): Result {
  const used = call.process.state.instructions / TICK;
  const bytes = struct(32, (view) => view.setBigInt64(0, used, true));
  return call.putIfWanted(call.size(0), () => bytes) || call.process.now() / TICK;
}

function time(call: Call): Result {
  const seconds = call.process.wallClock() / NANOSECONDS;
  return call.putIfWanted(call.size(0), () => struct(8, (view) => view.setBigInt64(0, seconds, true))) || seconds;
}

export const timeCalls = {
  clock_gettime: clockGettime,
  clock_getres: clockGetres,
  clock_settime: () => -errno.EPERM,
  clock_nanosleep: clockNanosleep,
  gettimeofday,
  settimeofday: () => -errno.EPERM,
  time,
  times,
  nanosleep,
} as const satisfies Record<string, Handler>;
