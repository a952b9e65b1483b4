/**
 * rseq(2): a thread that was preempted inside a restartable sequence goes on at its abort handler. The area's CPU number
 * is always 0, since every thread says it runs on the first CPU.
 */
import type { Process } from "./process.ts";
import type { Thread } from "./state.ts";

/** struct rseq: cpu_id_start, cpu_id, then the pointer to struct rseq_cs. */
const RSEQ_CS = 8;
/** struct rseq_cs: version, flags, start_ip, post_commit_offset, abort_ip. */
const CS = { start: 8, length: 16, abort: 24, bytes: 32 } as const;

/** Called when a thread gets the CPU back and before a signal handler runs. */
export function leaveRestartableSequence({ memory, cpu }: Process, thread: Thread): void {
  const area = thread.restartableSequence;
  if (area === undefined) return;
  const pointer = memory.readU64(area.address + RSEQ_CS);
  if (pointer === undefined || pointer === 0n) return;
  const bytes = memory.read(Number(pointer), CS.bytes);
  if (bytes === undefined) return;
  const view = new DataView(bytes.buffer);
  const start = view.getBigUint64(CS.start, true);
  memory.writeU64(area.address + RSEQ_CS, 0n);
  if (BigInt.asUintN(64, cpu.rip - start) < view.getBigUint64(CS.length, true)) {
    cpu.rip = view.getBigUint64(CS.abort, true);
  }
}
