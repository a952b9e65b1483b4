/**
 * System calls, as far as unknown input goes into them. What a call looks at is fixed before it is made: its arguments, and memory
 * when the kernel reads it. Nothing is fixed where it changes nothing that the program sees again: output, and how it ends.
 */
import { bitsIn, clearRegisters, fixRegisters, type Guest, type RegisterName } from "./guest.ts";

const order = ["rdi", "rsi", "rdx", "r10", "r8", "r9"] as const;

/** How many arguments a call has; all six where nothing is said here. */
// biome-ignore format: columns stay aligned
const argumentCounts: Readonly<Record<string, number>> = {
  exit: 0, exit_group: 0, getpid: 0, gettid: 0, getuid: 0, geteuid: 0, getgid: 0, getegid: 0, sched_yield: 0, fork: 0,
  rt_sigreturn: 0, munlockall: 0, getppid: 0, pause: 0, sync: 0,
  close: 1, brk: 1, unlink: 1, chdir: 1, rmdir: 1, dup: 1, fsync: 1, fdatasync: 1, uname: 1, set_tid_address: 1, pipe: 1,
  umask: 1, time: 1, fchdir: 1, alarm: 1, sysinfo: 1, times: 1, syncfs: 1,
  open: 3, read: 3, write: 3, readv: 3, writev: 3, lseek: 3, mprotect: 3, poll: 3, ioctl: 3, madvise: 3, fcntl: 3, msync: 3,
  getdents64: 3, readlink: 3, getrandom: 3, set_robust_list: 2, stat: 2, fstat: 2, lstat: 2, munmap: 2, access: 2, rename: 2,
  truncate: 2, ftruncate: 2, clock_gettime: 2, gettimeofday: 2, mkdir: 2, nanosleep: 2, flock: 2, kill: 2, tkill: 2,
  dup2: 2, pipe2: 2, getrlimit: 2, sigaltstack: 2, clone3: 2, arch_prctl: 2, chmod: 2, fchmod: 2, creat: 2, getrusage: 2,
  rt_sigaction: 4, rt_sigprocmask: 4, newfstatat: 4, pread64: 4, pwrite64: 4, openat: 4, fallocate: 4, prlimit64: 4,
  readlinkat: 4, rseq: 4, faccessat: 3, unlinkat: 3, mkdirat: 3, tgkill: 3, dup3: 3, statx: 5, mremap: 5, clone: 5, prctl: 5,
  mmap: 6, futex: 6, clock_nanosleep: 4,
};

/** Calls whose whole effect is on registers that they copy: a thread's, or those of a signal's frame. */
const copiesRegisters = new Set(["clone", "clone3", "fork", "vfork"]);

export function beforeCall(guest: Guest): void {
  // Which call it is has to be known first.
  fixRegisters(guest, ["rax"]);
  const name = guest.port.callName ?? "";
  fixRegisters(guest, order.slice(0, argumentCounts[name] ?? order.length));
  if (copiesRegisters.has(name)) fixRegisters(guest, ["rbx", ...order]);
}

/** Registers that every call overwrites. */
export const overwrittenByCalls: readonly RegisterName[] = ["rax", "rcx", "r11"];

const writing = new Set(["write", "writev"]);

/** Whether the kernel reads for output alone, which the program does not see again. */
export function isOutput(guest: Guest): boolean {
  const fd = bitsIn(guest, "rdi");
  return writing.has(guest.port.callName ?? "") && (fd === 1n || fd === 2n);
}

/** Calls that read into the program's memory, in order. */
export const isReading = (name: string): boolean => /^p?read(v|v2|64)?$/.test(name);

/** Pieces of memory that a read of so many bytes filled, in order. */
export function filledBy(
  guest: Guest,
  name: string,
  length: number,
): readonly (readonly [address: number, length: number])[] {
  const address = Number(bitsIn(guest, "rsi"));
  if (!name.includes("readv")) return [[address, length]];
  const pieces: (readonly [number, number])[] = [];
  for (let i = 0, left = length; left > 0; i++) {
    const start = Number(guest.port.read(address + 16 * i, 8));
    const size = Math.min(left, Number(guest.port.read(address + 16 * i + 8, 8)));
    pieces.push([start, size]);
    left -= size;
  }
  return pieces;
}

export const afterCall = (guest: Guest): void => clearRegisters(guest, overwrittenByCalls);
