/** What becomes of a blocked call when its thread gets the CPU back. */
import { errno } from "../files/index.ts";
import { type Result, struct } from "./call.ts";
import type { Process } from "./process.ts";
import { SA } from "./signal-numbers.ts";
import { actionOf, nextDeliverable } from "./signals.ts";
import type { Thread, Wait, WokenBy } from "./state.ts";

const SYSCALL_BYTES = 2n;

/** The call's result, "call" to run its handler again, or "again" to block on. */
export function resumedResult(process: Process, thread: Thread, wait: Wait, by: WokenBy): Result | "call" | "again" {
  if (by === "signal") return interrupted(process, thread, wait);
  if (wait.kind === "futex") return by === "ready" ? 0 : -errno.ETIMEDOUT;
  return wait.kind === "sleep" ? 0 : "call";
}

function interrupted(process: Process, thread: Thread, wait: Wait): Result | "call" | "again" {
  const next = nextDeliverable(process, thread);
  if (next === undefined) return wait.kind === "files" ? "call" : "again";
  if (wait.kind === "files" && wait.done > 0) return wait.done;
  if (wait.restart && (actionOf(process, next.signal).flags & SA.RESTART) !== 0) {
    process.cpu.rip -= SYSCALL_BYTES;
    return { kind: "as-is" };
  }
  if (wait.kind === "sleep" && wait.remainder !== 0 && wait.deadline !== undefined) {
    writeRemainder(process, wait.remainder, wait.deadline);
  }
  return -errno.EINTR;
}

function writeRemainder(process: Process, address: number, deadline: bigint): void {
  const left = deadline > process.now() ? deadline - process.now() : 0n;
  process.memory.write(
    address,
    struct(16, (view) => {
      view.setBigInt64(0, left / 1_000_000_000n, true);
      view.setBigInt64(8, left % 1_000_000_000n, true);
    }),
  );
}
