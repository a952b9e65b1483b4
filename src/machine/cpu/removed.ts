/**
 * Flushes and fences that are left out of a trace, as if the program did not have them. They do nothing but to be traced, so that a
 * run without the event is a run without the instruction. Always: everything else stays as it is, in its order.
 */

import type { TraceTables } from "../../trace/events/index.ts";
import { codeIn, codeOf, inRecord, recordWords } from "../../trace/record/index.ts";

/** By its address, which is the same in every run; only while a call is in progress that returns to `below`, if that is given. */
export interface RemovedOp {
  readonly site: number;
  readonly below?: number;
}

const removable: ReadonlySet<number> = new Set([
  codeOf.clflush,
  codeOf.clflushopt,
  codeOf.clwb,
  codeOf.sfence,
  codeOf.mfence,
]);

/** The records that are left. */
export function withoutRemoved(
  words: Uint32Array,
  removed: readonly RemovedOp[],
  { contexts }: Pick<TraceTables, "contexts">,
): Uint32Array {
  const isRemoved = (at: number): boolean => {
    if (!removable.has(codeIn(words[at + inRecord.head]!))) return false;
    const site = words[at + inRecord.site]!;
    const stack = words[at + inRecord.stack]!;
    return removed.some(
      (one) => one.site === site && (one.below === undefined || contexts.stack(stack).includes(one.below)),
    );
  };
  const left: number[] = [];
  for (let at = 0; at < words.length; at += recordWords) if (!isRemoved(at)) left.push(at);
  if (left.length * recordWords === words.length) return words;
  const kept = new Uint32Array(left.length * recordWords);
  for (const [index, at] of left.entries()) kept.set(words.subarray(at, at + recordWords), index * recordWords);
  return kept;
}
