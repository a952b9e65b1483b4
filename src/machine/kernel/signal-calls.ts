/** System calls about signals: rt_sigaction(2) and kin. */
import { errno } from "../files/index.ts";
import { gpr } from "../process/index.ts";
import { type Call, type Handler, type Result, struct } from "./call.ts";
import { pendingMask } from "./facts.ts";
import { noTrap, popFrame, SS, stackFlags } from "./frame.ts";
import { PID } from "./process.ts";
import { faultSignal, givenSignal, SIGINFO_BYTES, sentSignal } from "./siginfo.ts";
import { isIgnored, SI, SIG, SIGNALS, UNBLOCKABLE } from "./signal-numbers.ts";
import { actionOf, forceSignal, sendToProcess, sendToThread, setAction, takePending } from "./signals.ts";
import type { PendingSignal, SignalAction, Thread, Wait } from "./state.ts";
import { readTimespec } from "./time-calls.ts";

const SIGSET_BYTES = 8;
const ACTION_BYTES = 32;
const MINSIGSTKSZ = 2048;

const maskBytes = (mask: bigint): Uint8Array => struct(8, (view) => view.setBigUint64(0, mask, true));
const isSignal = (signal: number): boolean => signal >= 1 && signal <= SIGNALS;

/** The signal set at an address without what cannot be blocked; a number is an error. */
export function readMask(call: Call, address: number): bigint | number {
  const mask = call.memory.readU64(address);
  return mask === undefined ? -errno.EFAULT : mask & ~UNBLOCKABLE;
}

/** Sets the mask for the length of one call (ppoll(2), sigsuspend(2)). */
export function maskForCall(thread: Thread, mask: bigint): void {
  thread.savedMask ??= thread.mask;
  thread.mask = mask;
}

function sigaction(call: Call): Result {
  const signal = call.int(0);
  if (call.size(3) !== SIGSET_BYTES || !isSignal(signal)) return -errno.EINVAL;
  const [address, old] = [call.size(1), call.size(2)];
  const given = address === 0 ? undefined : call.view(address, ACTION_BYTES);
  if (address !== 0 && given === undefined) return -errno.EFAULT;
  if (given !== undefined && (signal === SIG.KILL || signal === SIG.STOP)) return -errno.EINVAL;
  const was = actionOf(call.process, signal);
  if (given !== undefined) {
    const action: SignalAction = {
      handler: given.getBigUint64(0, true),
      flags: given.getUint32(8, true),
      restorer: given.getBigUint64(16, true),
      mask: given.getBigUint64(24, true) & ~UNBLOCKABLE,
    };
    setAction(call.process, signal, action);
    if (isIgnored(signal, action)) forget(call, signal);
  }
  return call.putIfWanted(old, () =>
    struct(ACTION_BYTES, (view) => {
      view.setBigUint64(0, was.handler, true);
      view.setBigUint64(8, BigInt(was.flags), true);
      view.setBigUint64(16, was.restorer, true);
      view.setBigUint64(24, was.mask, true);
    }),
  );
}

/** A signal that comes to be ignored is no longer pending anywhere. */
function forget({ process }: Call, signal: number): void {
  const without = (list: readonly PendingSignal[]) => list.filter((pending) => pending.signal !== signal);
  process.state.pending = without(process.state.pending);
  for (const thread of process.state.threads) thread.pending = without(thread.pending);
}

const changes: Readonly<Record<number, (was: bigint, set: bigint) => bigint>> = {
  0: (was, set) => was | set,
  1: (was, set) => was & ~set,
  2: (_, set) => set,
};

function sigprocmask(call: Call): Result {
  if (call.size(3) !== SIGSET_BYTES) return -errno.EINVAL;
  const { thread } = call;
  const was = thread.mask;
  if (call.size(1) !== 0) {
    const set = readMask(call, call.size(1));
    if (typeof set === "number") return set;
    const change = changes[call.int(0)];
    if (change === undefined) return -errno.EINVAL;
    thread.mask = change(was, set);
  }
  return call.putIfWanted(call.size(2), () => maskBytes(was));
}

function sigaltstack(call: Call): Result {
  const { thread, process } = call;
  const [address, old] = [call.size(0), call.size(1)];
  const rsp = Number(process.cpu.gpr(gpr.rsp));
  const was = thread.alternateStack;
  const given = address === 0 ? undefined : call.view(address, 24);
  if (address !== 0 && given === undefined) return -errno.EFAULT;
  if (given !== undefined) {
    if (stackFlags(was, rsp) & SS.ONSTACK) return -errno.EPERM;
    const flags = given.getUint32(8, true);
    const mode = flags & ~SS.AUTODISARM;
    if (mode !== 0 && mode !== SS.ONSTACK && mode !== SS.DISABLE) return -errno.EINVAL;
    const size = Number(given.getBigUint64(16, true));
    if (mode !== SS.DISABLE && size < MINSIGSTKSZ) return -errno.ENOMEM;
    thread.alternateStack =
      mode === SS.DISABLE
        ? { base: 0, size: 0, flags: SS.DISABLE }
        : { base: Number(given.getBigUint64(0, true)), size, flags: (flags & SS.AUTODISARM) >>> 0 };
  }
  return call.putIfWanted(old, () =>
    struct(24, (view) => {
      view.setBigUint64(0, BigInt(was.base), true);
      view.setUint32(8, stackFlags(was, rsp), true);
      view.setBigUint64(16, BigInt(was.size), true);
    }),
  );
}

function sigreturn(call: Call): Result {
  if (!popFrame(call.process, call.thread)) {
    forceSignal(call.process, faultSignal(SIG.SEGV, SI.KERNEL, 0n), noTrap);
  } else call.process.hooks.signalLeft?.(call.thread.tid);
  return { kind: "as-is" };
}

function sigsuspend(call: Call): Result {
  if (call.size(1) !== SIGSET_BYTES) return -errno.EINVAL;
  if (call.resumed === undefined) {
    const mask = readMask(call, call.size(0));
    if (typeof mask === "number") return mask;
    maskForCall(call.thread, mask);
  }
  return untilHandler;
}

/** Blocks until a handler has run. */
const untilHandler: Wait = { kind: "signals", set: 0n, deadline: undefined, restart: false };

function sigtimedwait(call: Call): Result {
  if (call.size(3) !== SIGSET_BYTES) return -errno.EINVAL;
  const set = readMask(call, call.size(0));
  if (typeof set === "number") return set;
  const taken = takePending(call.process, call.thread, set);
  if (taken !== undefined) return call.putIfWanted(call.size(1), () => taken.info) || taken.signal;
  if (call.resumed?.by === "timeout") return -errno.EAGAIN;
  let deadline = call.resumed?.wait.deadline;
  if (call.resumed === undefined && call.size(2) !== 0) {
    const time = readTimespec(call, call.size(2));
    if (typeof time === "number") return time;
    if (time === 0n) return -errno.EAGAIN;
    deadline = call.process.now() + time;
  }
  return { kind: "signals", set, deadline, restart: false };
}

function toProcess(call: Call, pid: number, signal: number, pending: () => PendingSignal): Result {
  if (signal !== 0 && !isSignal(signal)) return -errno.EINVAL;
  if (pid !== PID && pid !== 0 && pid !== -PID && pid !== -1) return -errno.ESRCH;
  if (signal !== 0) sendToProcess(call.process, pending());
  return 0;
}

function toThread(call: Call, tid: number, signal: number, pending: () => PendingSignal): Result {
  if (signal !== 0 && !isSignal(signal)) return -errno.EINVAL;
  if (tid <= 0) return -errno.EINVAL;
  const thread = call.process.thread(tid);
  if (thread === undefined) return -errno.ESRCH;
  if (signal !== 0 && thread.status.kind !== "exited") sendToThread(call.process, thread, pending());
  return 0;
}

/** The siginfo a caller hands over; it may not pretend to come from the kernel or kill(2). */
function given(call: Call, signal: number, at: number, send: (pending: PendingSignal) => Result): Result {
  const info = call.memory.read(call.size(at), SIGINFO_BYTES);
  return info === undefined ? -errno.EFAULT : send(givenSignal(signal, info));
}

const by = (call: Call, signal: number, code: number) => () => sentSignal(signal, code, call.process.options.uid);

export const signalCalls = {
  rt_sigaction: sigaction,
  rt_sigprocmask: sigprocmask,
  rt_sigreturn: sigreturn,
  rt_sigpending: (call) =>
    call.put(call.size(0), maskBytes(pendingMask(call.process, call.thread.tid) & call.thread.mask)),
  rt_sigsuspend: sigsuspend,
  rt_sigtimedwait: sigtimedwait,
  sigaltstack,
  pause: () => untilHandler,
  kill: (call) => toProcess(call, call.int(0), call.int(1), by(call, call.int(1), SI.USER)),
  tkill: (call) => toThread(call, call.int(0), call.int(1), by(call, call.int(1), SI.TKILL)),
  tgkill: (call) =>
    call.int(0) === PID
      ? toThread(call, call.int(1), call.int(2), by(call, call.int(2), SI.TKILL))
      : call.int(0) <= 0
        ? -errno.EINVAL
        : -errno.ESRCH,
  rt_sigqueueinfo: (call) =>
    given(call, call.int(1), 2, (pending) => toProcess(call, call.int(0), call.int(1), () => pending)),
  rt_tgsigqueueinfo: (call) =>
    given(call, call.int(2), 3, (pending) => toThread(call, call.int(1), call.int(2), () => pending)),
} as const satisfies Record<string, Handler>;
