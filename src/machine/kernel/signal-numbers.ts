/** Signals of x86-64 Linux: numbers, default actions (signal(7)), flags of sigaction(2) and codes of siginfo_t. */
import type { SignalAction } from "./state.ts";

export const SIGNALS = 64;

// biome-ignore format: in order of their numbers
export const signalNames = [
  "", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
  "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP",
  "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
] as const;

export const SIG = {
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  SEGV: 11,
  PIPE: 13,
  ALRM: 14,
  CHLD: 17,
  CONT: 18,
  STOP: 19,
  URG: 23,
  VTALRM: 26,
  PROF: 27,
  WINCH: 28,
  SYS: 31,
} as const;

export const signalName = (signal: number): string => signalNames[signal] ?? `SIGRTMIN+${signal - 32}`;

export const SA = {
  RESTORER: 0x0400_0000,
  ONSTACK: 0x0800_0000,
  RESTART: 0x1000_0000,
  NODEFER: 0x4000_0000,
  RESETHAND: 0x8000_0000,
} as const;

export const SIG_DFL = 0n;
export const SIG_IGN = 1n;

/** Where a signal came from (sigaction(2), si_code). */
export const SI = { USER: 0, KERNEL: 0x80, QUEUE: -1, TIMER: -2, TKILL: -6 } as const;

export const maskBit = (signal: number): bigint => 1n << BigInt(signal - 1);
/** SIGKILL and SIGSTOP cannot be blocked. */
export const UNBLOCKABLE = maskBit(SIG.KILL) | maskBit(SIG.STOP);

export const defaultAction: SignalAction = { handler: SIG_DFL, flags: 0, restorer: 0n, mask: 0n };

const ignoredByDefault: ReadonlySet<number> = new Set([SIG.CHLD, SIG.CONT, SIG.URG, SIG.WINCH]);

/** Whether a signal with this action leaves no trace. */
export const isIgnored = (signal: number, action: SignalAction): boolean =>
  action.handler === SIG_IGN || (action.handler === SIG_DFL && ignoredByDefault.has(signal));
