/**
 * rt_sigframe: what a handler finds on its stack and rt_sigreturn takes back (arch/x86/kernel/signal_64.c):
 *
 *   0  pretcode: where the handler returns to        8  struct ucontext (304 bytes)
 *   312  siginfo_t (128 bytes)                       above: the state of frame-state.ts, 64-byte aligned
 */
import { gpr } from "../process/index.ts";
import { struct } from "./call.ts";
import { frameStateBytes, loadFrameState, saveFrameState } from "./frame-state.ts";
import type { Process } from "./process.ts";
import { SIGINFO_BYTES } from "./siginfo.ts";
import { SA, UNBLOCKABLE } from "./signal-numbers.ts";
import type { AlternateStack, PendingSignal, SignalAction, Thread } from "./state.ts";

const UCONTEXT = 8;
const UC_STACK = UCONTEXT + 16;
const SIGCONTEXT = UCONTEXT + 40;
const UC_SIGMASK = SIGCONTEXT + 256;
const SIGINFO = UC_SIGMASK + 8;
const FRAME_BYTES = SIGINFO + SIGINFO_BYTES;
const RED_ZONE = 128;
/** What a signal frame needs at most, alignment included: AT_MINSIGSTKSZ. */
export const minimumSignalStack = (isExtended: boolean): number =>
  Math.ceil((FRAME_BYTES + frameStateBytes(isExtended) + 64 + 16) / 16) * 16;

/** UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS, and UC_FP_XSTATE where there is XSAVE. */
const contextFlags = (isExtended: boolean): bigint => (isExtended ? 7n : 6n);
const USER_CS = 0x33;
const USER_SS = 0x2b;

/** The order of struct sigcontext_64. */
// biome-ignore format: the order is the structure's
const contextRegisters = [
  gpr.r8, gpr.r9, gpr.r10, gpr.r11, gpr.r12, gpr.r13, gpr.r14, gpr.r15,
  gpr.rdi, gpr.rsi, gpr.rbp, gpr.rbx, gpr.rdx, gpr.rax, gpr.rcx, gpr.rsp,
] as const;
const C = {
  rip: 128,
  eflags: 136,
  cs: 144,
  ss: 150,
  error: 152,
  trap: 160,
  oldMask: 168,
  cr2: 176,
  fpstate: 184,
} as const;

export const SS = { ONSTACK: 1, DISABLE: 2, AUTODISARM: 0x8000_0000 } as const;
const EFLAGS_CLEARED = ~((1 << 8) | (1 << 10) | (1 << 16));
/** What rt_sigreturn may change: CF PF AF ZF SF TF DF OF RF AC. */
const EFLAGS_RESTORED = 0x50dd5;

/** What the CPU says of a fault; all zero for other signals. */
export interface TrapDetails {
  readonly trap: number;
  readonly error: number;
  readonly address: bigint;
}
export const noTrap: TrapDetails = { trap: 0, error: 0, address: 0n };

export const isOnStack = ({ base, size, flags }: AlternateStack, rsp: number): boolean =>
  (flags & (SS.DISABLE | SS.AUTODISARM)) === 0 && rsp > base && rsp - base <= size;

/** Puts the current thread into its handler. False when the stack cannot take the frame. */
export function pushFrame(
  process: Process,
  thread: Thread,
  action: SignalAction,
  pending: PendingSignal,
  trap: TrapDetails,
): boolean {
  const { cpu, memory } = process;
  if ((action.flags & SA.RESTORER) === 0) return false;
  const alternate = thread.alternateStack;
  const rsp = Number(cpu.gpr(gpr.rsp));
  const nested = isOnStack(alternate, rsp);
  const switches =
    (action.flags & SA.ONSTACK) !== 0 && !nested && alternate.size > 0 && !(alternate.flags & SS.DISABLE);
  const top = switches ? alternate.base + alternate.size : rsp - RED_ZONE;
  const fpstate = Math.floor((top - frameStateBytes(process.options.extendedState)) / 64) * 64;
  const frame = Math.floor((fpstate - FRAME_BYTES) / 16) * 16 - 8;
  if (frame < 0 || (nested && !isOnStack(alternate, frame))) return false;

  const bytes = struct(FRAME_BYTES, (view) => {
    view.setBigUint64(0, action.restorer, true);
    view.setBigUint64(UCONTEXT, contextFlags(process.options.extendedState), true);
    view.setBigUint64(UC_STACK, BigInt(alternate.base), true);
    view.setUint32(UC_STACK + 8, stackFlags(alternate, rsp), true);
    view.setBigUint64(UC_STACK + 16, BigInt(alternate.size), true);
    writeContext(process, thread, view, trap, fpstate);
    view.setBigUint64(UC_SIGMASK, thread.savedMask ?? thread.mask, true);
  });
  bytes.set(pending.info, SIGINFO);
  if (!memory.write(fpstate, saveFrameState(cpu, process.options.extendedState)) || !memory.write(frame, bytes))
    return false;

  process.hooks.signalEntered?.(thread.tid, frame, Number(cpu.rip), switches ? alternate : undefined);
  if (alternate.flags & SS.AUTODISARM) thread.alternateStack = { base: 0, size: 0, flags: SS.DISABLE };
  cpu.setGpr(gpr.rdi, BigInt(pending.signal));
  cpu.setGpr(gpr.rsi, BigInt(frame + SIGINFO));
  cpu.setGpr(gpr.rdx, BigInt(frame + UCONTEXT));
  cpu.setGpr(gpr.rax, 0n);
  cpu.setGpr(gpr.rsp, BigInt(frame));
  cpu.rip = action.handler;
  cpu.eflags = cpu.eflags & EFLAGS_CLEARED;
  cpu.resetFloatingPoint();
  return true;
}

/** ss_flags as sigaltstack(2) reports them. */
export const stackFlags = (stack: AlternateStack, rsp: number): number =>
  (stack.size === 0 ? SS.DISABLE : stack.flags | (isOnStack(stack, rsp) ? SS.ONSTACK : 0)) >>> 0;

function writeContext({ cpu }: Process, thread: Thread, view: DataView, trap: TrapDetails, fpstate: number): void {
  contextRegisters.forEach((register, index) => {
    view.setBigUint64(SIGCONTEXT + 8 * index, cpu.gpr(register), true);
  });
  view.setBigUint64(SIGCONTEXT + C.rip, cpu.rip, true);
  view.setBigUint64(SIGCONTEXT + C.eflags, BigInt(cpu.eflags), true);
  view.setUint16(SIGCONTEXT + C.cs, USER_CS, true);
  view.setUint16(SIGCONTEXT + C.ss, USER_SS, true);
  view.setBigUint64(SIGCONTEXT + C.error, BigInt(trap.error), true);
  view.setBigUint64(SIGCONTEXT + C.trap, BigInt(trap.trap), true);
  view.setBigUint64(SIGCONTEXT + C.oldMask, thread.savedMask ?? thread.mask, true);
  view.setBigUint64(SIGCONTEXT + C.cr2, BigInt.asUintN(64, trap.address), true);
  view.setBigUint64(SIGCONTEXT + C.fpstate, BigInt(fpstate), true);
}

/** rt_sigreturn: takes the frame below rsp back. False when it cannot be read. */
export function popFrame(process: Process, thread: Thread): boolean {
  const { cpu, memory } = process;
  const frame = memory.read(Number(cpu.gpr(gpr.rsp)) - 8, FRAME_BYTES);
  if (frame === undefined) return false;
  const view = new DataView(frame.buffer);
  const fpstate = Number(view.getBigUint64(SIGCONTEXT + C.fpstate, true));
  if (fpstate === 0) cpu.resetFloatingPoint();
  else if (!loadFrameState(process, fpstate)) return false;
  contextRegisters.forEach((register, index) => {
    cpu.setGpr(register, view.getBigUint64(SIGCONTEXT + 8 * index, true));
  });
  cpu.rip = view.getBigUint64(SIGCONTEXT + C.rip, true);
  const eflags = view.getUint32(SIGCONTEXT + C.eflags, true);
  cpu.eflags = (cpu.eflags & ~EFLAGS_RESTORED) | (eflags & EFLAGS_RESTORED);
  thread.mask = view.getBigUint64(UC_SIGMASK, true) & ~UNBLOCKABLE;
  const flags = view.getUint32(UC_STACK + 8, true);
  thread.alternateStack = {
    base: Number(view.getBigUint64(UC_STACK, true)),
    size: flags & SS.DISABLE ? 0 : Number(view.getBigUint64(UC_STACK + 16, true)),
    flags: (flags & (SS.DISABLE | SS.AUTODISARM)) >>> 0,
  };
  return true;
}
