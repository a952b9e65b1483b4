/** Threads of the process: creation, exit, and what their exit owes to others (robust futexes, pthread_join). */
import { assert } from "../../base/index.ts";
import { wakeFutex } from "./futex.ts";
import type { Process } from "./process.ts";
import type { Thread } from "./state.ts";

const FUTEX_OWNER_DIED = 0x4000_0000;
const FUTEX_WAITERS = 0x8000_0000;
const FUTEX_TID_MASK = 0x3fff_ffff;
/** The kernel's own bound on the length of a robust list. */
const ROBUST_LIST_LIMIT = 2048;

export const newThread = (tid: number, registers: Uint8Array, name: string): Thread => ({
  tid,
  registers,
  status: { kind: "runnable" },
  mask: 0n,
  savedMask: undefined,
  pending: [],
  alternateStack: { base: 0, size: 0, flags: 0 },
  clearChildTid: 0,
  robustList: 0,
  restartableSequence: undefined,
  name,
  instructions: 0n,
});

/** The current thread ends. The process ends with its last thread, with the exit code of the first. */
export function exitThread(process: Process, code: number): void {
  const { state } = process;
  const thread = process.current;
  assert(thread.status.kind !== "exited", "kernel: a thread ends once");
  releaseRobustFutexes(process, thread);
  if (thread.clearChildTid !== 0 && process.memory.writeU32(thread.clearChildTid, 0)) {
    wakeFutex(process, thread.clearChildTid, 1, 0xffff_ffff);
  }
  thread.status = { kind: "exited", code };
  process.hooks.threadEnded?.(thread.tid);
  const leader = state.threads[0];
  assert(leader !== undefined, "kernel: the first thread stays on the list until the process ends");
  if (thread !== leader) state.threads = state.threads.filter((other) => other !== thread);
  if (process.livingThreads.length === 0) {
    exitProcess(process, leader.status.kind === "exited" ? leader.status.code : code);
  }
}

export function exitProcess(process: Process, code: number): void {
  assert(process.state.outcome === undefined, "kernel: a process ends once");
  process.state.outcome = { kind: "exit", code: code & 0xff };
}

/** Marks every lock on the thread's robust list as abandoned (get_robust_list(2), kernel/futex/core.c). */
function releaseRobustFutexes(process: Process, thread: Thread): void {
  const { memory } = process;
  const head = thread.robustList;
  if (head === 0) return;
  const offset = memory.readU64(head + 8);
  const pending = memory.readU64(head + 16);
  if (offset === undefined || pending === undefined) return;
  const lockOf = (entry: bigint) => Number(BigInt.asUintN(64, (entry & ~1n) + BigInt.asIntN(64, offset)));
  let entry = memory.readU64(head);
  for (let count = 0; entry !== undefined && count < ROBUST_LIST_LIMIT; count++) {
    if (Number(entry & ~1n) === head) break;
    const next = memory.readU64(Number(entry & ~1n));
    if (entry !== pending) abandon(process, thread, lockOf(entry));
    entry = next;
  }
  if (pending !== 0n) abandon(process, thread, lockOf(pending));
}

function abandon(process: Process, thread: Thread, lock: number): void {
  const value = process.memory.readU32(lock);
  if (value === undefined || (value & FUTEX_TID_MASK) !== thread.tid) return;
  process.memory.writeU32(lock, ((value & FUTEX_WAITERS) | FUTEX_OWNER_DIED) >>> 0);
  if (value & FUTEX_WAITERS) wakeFutex(process, lock, 1, 0xffff_ffff);
}
