/** Futex queues (futex(2)). Waiters are found by key, oldest first; the key of a page mapped twice is its lowest address. */
import type { Process } from "./process.ts";
import type { Thread, Wait } from "./state.ts";

export const ANY_BIT = 0xffff_ffff;

export function futexKey({ space }: Process, address: number): number {
  return space.pages.lowestTwin(address);
}

type FutexWait = Wait & { readonly kind: "futex" };

function waiters(process: Process, key: number): { thread: Thread; wait: FutexWait }[] {
  const found: { thread: Thread; wait: FutexWait }[] = [];
  for (const thread of process.state.threads) {
    if (thread.status.kind !== "blocked") continue;
    const { wait } = thread.status;
    if (wait.kind === "futex" && wait.key === key) found.push({ thread, wait });
  }
  return found.sort((a, b) => a.wait.order - b.wait.order);
}

/** Wakes up to `count` waiters that share a bit with `bitset`; how many. */
export function wakeFutex(process: Process, address: number, count: number, bitset: number): number {
  const chosen = waiters(process, futexKey(process, address))
    .filter(({ wait }) => (wait.bitset & bitset) !== 0)
    .slice(0, Math.max(0, count));
  for (const { thread, wait } of chosen) {
    thread.status = { kind: "resuming", wait, by: "ready" };
    process.hooks.threadWoken?.(thread.tid, process.current.tid);
  }
  if (chosen.length > 0) process.reschedule = true;
  return chosen.length;
}

/** Moves up to `count` waiters to another futex; how many. */
export function requeueFutex(process: Process, from: number, to: number, count: number): number {
  const key = futexKey(process, to);
  const chosen = waiters(process, futexKey(process, from)).slice(0, Math.max(0, count));
  for (const { thread, wait } of chosen) {
    thread.status = { kind: "blocked", wait: { ...wait, key, order: process.state.futexOrder++ } };
  }
  return chosen.length;
}
