/**
 * Where a program's operations end: at its markers if it set any, else at what it wrote to its standard output. Always:
 * positions are in order; position p means after all events before p.
 */

import type { Trace } from "../../trace/events/index.ts";
import { codeOf, recordWords } from "../../trace/record/index.ts";

const stdout = 1;

export function operationEnds(trace: Trace): Uint32Array {
  const outputs: number[] = [];
  const markers: number[] = [];
  let next = 0;
  for (const words of trace.batches())
    for (let at = 0; at < words.length; at += recordWords) {
      next++;
      const code = words[at]! & 0xff;
      if (code === codeOf.marker) markers.push(next);
      else if (code === codeOf.output && words[at + 2] === stdout) outputs.push(next);
    }
  return Uint32Array.from(markers.length > 0 ? markers : outputs);
}

/** Ends at or before a crash before event `seq`. */
export function operationsBefore(ends: Uint32Array, seq: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Operations are counted from 1; the one after the one that is under way at a crash before event `seq`. */
export const operationAfter = (ends: Uint32Array, seq: number): number => operationsBefore(ends, seq) + 2;

/** The ends before and after the operation that is under way at a crash before event `seq`; the trace's own at its edges. */
export function operationAround(ends: Uint32Array, seq: number, events: number): readonly [number, number] {
  const count = operationsBefore(ends, seq);
  return [ends[count - 1] ?? 0, ends[count] ?? events];
}
