/** System calls about threads: clone(2), futex(2), exit(2) and kin. */
import { errno } from "../files/index.ts";
import { gpr } from "../process/index.ts";
import type { Call, Handler, Result } from "./call.ts";
import { ANY_BIT, futexKey, requeueFutex, wakeFutex } from "./futex.ts";
import { newThread } from "./threads.ts";
import { readTimespec } from "./time-calls.ts";

const CLONE = {
  VM: 0x100,
  SIGHAND: 0x800,
  THREAD: 0x1_0000,
  SETTLS: 0x8_0000,
  PARENT_SETTID: 0x10_0000,
  CHILD_CLEARTID: 0x20_0000,
  CHILD_SETTID: 0x100_0000,
} as const;
const THREAD_FLAGS = CLONE.VM | CLONE.SIGHAND | CLONE.THREAD;

/** Of processes and name spaces, which are not made here, but which do not go with everything. */
const OTHER = {
  FS: 0x200,
  PIDFD: 0x1000,
  NEWNS: 0x2_0000,
  DETACHED: 0x40_0000,
  NEWUSER: 0x1000_0000,
  NEWPID: 0x2000_0000,
} as const;

/** What copy_process and kernel_clone refuse (kernel/fork.c): the first with what it must have, or with what it must not. */
const misfits: readonly (readonly [flag: number, how: "needs" | "excludes", others: number])[] = [
  [OTHER.FS, "excludes", OTHER.NEWNS],
  [OTHER.FS, "excludes", OTHER.NEWUSER],
  [CLONE.THREAD, "needs", CLONE.SIGHAND],
  [CLONE.SIGHAND, "needs", CLONE.VM],
  [CLONE.THREAD, "excludes", OTHER.NEWUSER | OTHER.NEWPID],
  [OTHER.PIDFD, "excludes", OTHER.DETACHED],
];

const doNotGoTogether = (flags: number): boolean =>
  misfits.some(([flag, how, others]) => (flags & flag) !== 0 && ((flags & others) !== 0) === (how === "excludes"));

interface CloneRequest {
  readonly flags: number;
  /** 0: the parent's own. */
  readonly stack: bigint;
  readonly parentTid: number;
  readonly childTid: number;
  readonly tls: bigint;
}

/** Starts a thread of the same process; anything else would be fork. */
function clone(call: Call, request: CloneRequest): Result {
  const { process, thread: parent, memory } = call;
  const { flags, stack } = request;
  if (doNotGoTogether(flags)) return -errno.EINVAL;
  if ((flags & THREAD_FLAGS) !== THREAD_FLAGS) {
    const site = process.site(Number(process.cpu.rip) - 2);
    process.hooks.unsupported?.("clone");
    process.notice(`the guest wanted a new process with clone at ${site}, which is not supported: only threads are`);
    return -errno.ENOSYS;
  }
  if (process.livingThreads.length >= process.options.limits.threads) {
    process.notice(`the guest wanted more than its limit of ${process.options.limits.threads} threads (EAGAIN)`);
    return -errno.EAGAIN;
  }
  const tid = process.state.nextTid++;
  if (flags & CLONE.PARENT_SETTID && !memory.writeU32(request.parentTid, tid)) return -errno.EFAULT;
  if (flags & CLONE.CHILD_SETTID && !memory.writeU32(request.childTid, tid)) return -errno.EFAULT;

  const { cpu } = process;
  const own = cpu.save();
  cpu.setGpr(gpr.rax, 0n);
  if (stack !== 0n) cpu.setGpr(gpr.rsp, stack);
  if (flags & CLONE.SETTLS) cpu.fsBase = request.tls;
  const child = newThread(tid, cpu.save(), parent.name);
  cpu.load(own);
  child.mask = parent.mask;
  if (flags & CLONE.CHILD_CLEARTID) child.clearChildTid = request.childTid;
  process.state.threads = [...process.state.threads, child];
  process.hooks.threadStarted?.(tid, parent.tid);
  process.reschedule = true;
  return tid;
}

const CLONE_ARGS_BYTES = 64;

function clone3(call: Call): Result {
  const size = call.size(1);
  if (size < CLONE_ARGS_BYTES) return -errno.EINVAL;
  const view = call.view(call.size(0), CLONE_ARGS_BYTES);
  if (view === undefined) return -errno.EFAULT;
  const field = (index: number) => view.getBigUint64(8 * index, true);
  const [stack, length] = [field(5), field(6)];
  if ((stack === 0n) !== (length === 0n)) return -errno.EINVAL;
  return clone(call, {
    flags: Number(BigInt.asUintN(32, field(0))),
    stack: stack === 0n ? 0n : stack + length,
    parentTid: Number(field(3)),
    childTid: Number(field(2)),
    tls: field(7),
  });
}

const FUTEX_COMMAND = 0x7f;
const FUTEX_CLOCK_REALTIME = 0x100;

/** The deadline of a wait on the monotonic clock, undefined for none; a number is an error. */
function futexDeadline(call: Call, command: number): bigint | undefined | number {
  const address = call.size(3);
  if (address === 0) return undefined;
  const time = readTimespec(call, address);
  if (typeof time === "number") return time;
  const { process } = call;
  if (command === 0) return process.now() + time;
  return call.int(1) & FUTEX_CLOCK_REALTIME ? time - process.wallClock() + process.now() : time;
}

const wait =
  (bitset: (call: Call) => number): Handler =>
  (call) => {
    const address = call.size(0);
    const bits = bitset(call);
    if (bits === 0) return -errno.EINVAL;
    const deadline = futexDeadline(call, call.int(1) & FUTEX_COMMAND);
    if (typeof deadline === "number") return deadline;
    const value = call.memory.readU32(address);
    if (value === undefined) return -errno.EFAULT;
    if (value !== call.unsigned(2)) return -errno.EAGAIN;
    if (deadline !== undefined && deadline <= call.process.now()) return -errno.ETIMEDOUT;
    const { process } = call;
    const [key, order] = [futexKey(process, address), process.state.futexOrder++];
    return { kind: "futex", key, bitset: bits, order, deadline, restart: deadline === undefined };
  };

function requeue(call: Call, compare: boolean): Result {
  const [from, to] = [call.size(0), call.size(4)];
  const [wakes, moves] = [call.int(2), call.int(3)];
  if (wakes < 0 || moves < 0) return -errno.EINVAL;
  const value = call.memory.readU32(from);
  if (value === undefined || to % 4 !== 0) return value === undefined ? -errno.EFAULT : -errno.EINVAL;
  if (compare && value !== call.unsigned(5)) return -errno.EAGAIN;
  const woken = wakeFutex(call.process, from, wakes, ANY_BIT);
  return woken + requeueFutex(call.process, from, to, moves);
}

const wakeOperations: readonly ((old: number, argument: number) => number)[] = [
  (_, argument) => argument,
  (old, argument) => old + argument,
  (old, argument) => old | argument,
  (old, argument) => old & ~argument,
  (old, argument) => old ^ argument,
];
const wakeComparisons: readonly ((old: number, argument: number) => boolean)[] = [
  (old, argument) => old === argument,
  (old, argument) => old !== argument,
  (old, argument) => old < argument,
  (old, argument) => old <= argument,
  (old, argument) => old > argument,
  (old, argument) => old >= argument,
];
const signed12 = (value: number): number => (value << 20) >> 20;

/** FUTEX_WAKE_OP: changes the second word, wakes the first's waiters, and the second's if the old value compares. */
function wakeOp(call: Call): Result {
  const [first, second, encoded] = [call.size(0), call.size(4), call.unsigned(5)];
  const argument = signed12((encoded >>> 12) & 0xfff);
  const shifted = encoded >>> 31 ? 1 << (argument & 31) : argument;
  const operation = wakeOperations[(encoded >>> 28) & 7];
  const comparison = wakeComparisons[(encoded >>> 24) & 15];
  if (operation === undefined || comparison === undefined) return -errno.ENOSYS;
  const old = call.memory.readU32(second);
  if (old === undefined || !call.memory.writeU32(second, operation(old | 0, shifted) >>> 0)) return -errno.EFAULT;
  let woken = wakeFutex(call.process, first, call.int(2), ANY_BIT);
  if (comparison(old | 0, signed12(encoded & 0xfff))) woken += wakeFutex(call.process, second, call.int(3), ANY_BIT);
  return woken;
}

const wake =
  (bitset: (call: Call) => number): Handler =>
  (call) =>
    bitset(call) === 0 ? -errno.EINVAL : wakeFutex(call.process, call.size(0), call.int(2), bitset(call));
const anyBit = () => ANY_BIT;
const givenBits = (call: Call) => call.unsigned(5);

/** By command number; the missing ones are priority inheritance and FUTEX_FD. */
const futexCommands: Readonly<Record<number, Handler>> = {
  0: wait(anyBit),
  1: wake(anyBit),
  3: (call) => requeue(call, false),
  4: (call) => requeue(call, true),
  5: wakeOp,
  9: wait(givenBits),
  10: wake(givenBits),
};

function futex(call: Call): Result {
  const run = futexCommands[call.int(1) & FUTEX_COMMAND];
  if (run === undefined) return -errno.ENOSYS;
  return call.size(0) % 4 === 0 ? run(call) : -errno.EINVAL;
}

const ROBUST_HEAD_BYTES = 24;

function getRobustList(call: Call): Result {
  const tid = call.int(0);
  const thread = tid === 0 ? call.thread : call.process.thread(tid);
  if (thread === undefined) return -errno.ESRCH;
  const written =
    call.memory.writeU64(call.size(1), BigInt(thread.robustList)) &&
    call.memory.writeU64(call.size(2), BigInt(ROBUST_HEAD_BYTES));
  return written ? 0 : -errno.EFAULT;
}

const RSEQ_BYTES = 32;
const RSEQ_UNREGISTER = 1;

function rseq(call: Call): Result {
  const { thread } = call;
  const [address, length, flags, signature] = [call.size(0), call.unsigned(1), call.int(2), call.unsigned(3)];
  const was = thread.restartableSequence;
  if (flags & RSEQ_UNREGISTER) {
    if (was?.address !== address || was.length !== length) return -errno.EINVAL;
    if (was.signature !== signature) return -errno.EPERM;
    thread.restartableSequence = undefined;
    return 0;
  }
  if (flags !== 0 || (was === undefined && (address % 32 !== 0 || length !== RSEQ_BYTES))) return -errno.EINVAL;
  if (was !== undefined) {
    if (was.address !== address || was.length !== length) return -errno.EINVAL;
    return was.signature === signature ? -errno.EBUSY : -errno.EPERM;
  }
  if (!call.memory.writeU64(address, 0n)) return -errno.EFAULT;
  thread.restartableSequence = { address, length, signature };
  return 0;
}

export const threadCalls = {
  clone: (call) =>
    clone(call, {
      flags: call.unsigned(0),
      stack: call.raw(1),
      parentTid: call.size(2),
      childTid: call.size(3),
      tls: call.raw(4),
    }),
  clone3,
  exit: (call) => ({ kind: "exit-thread", code: call.int(0) }),
  exit_group: (call) => ({ kind: "exit", code: call.int(0) }),
  futex,
  set_robust_list: (call) => {
    if (call.size(1) !== ROBUST_HEAD_BYTES) return -errno.EINVAL;
    call.thread.robustList = call.size(0);
    return 0;
  },
  get_robust_list: getRobustList,
  rseq,
  set_tid_address: (call) => {
    call.thread.clearChildTid = call.size(0);
    return call.thread.tid;
  },
  gettid: (call) => call.thread.tid,
  sched_yield: (call) => {
    call.process.state.yielded = true;
    call.process.reschedule = true;
    return 0;
  },
  wait4: () => -errno.ECHILD,
  waitid: () => -errno.ECHILD,
} as const satisfies Record<string, Handler>;
