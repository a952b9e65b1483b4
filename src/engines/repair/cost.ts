/** What insertions cost in a run: the flushes and fences that are executed more, and how many flushes are of volatile memory. */
import { eventsBetween, type Trace } from "../../trace/events/index.ts";

export interface RepairCost {
  readonly flushes: number;
  /** Of these, flushes of memory that is not persistent. */
  readonly volatile: number;
  readonly fences: number;
}

export function costOf(trace: Trace): RepairCost {
  const mapped: { readonly start: number; readonly end: number }[] = [];
  let [flushes, volatile, fences] = [0, 0, 0];
  for (const event of eventsBetween(trace, 0, trace.count)) {
    if (event.kind === "map" && event.persistent) mapped.push({ start: event.start, end: event.start + event.length });
    if (!("patch" in event) || event.patch === undefined) continue;
    if (!("address" in event)) {
      fences++;
      continue;
    }
    const { address } = event;
    flushes++;
    if (!mapped.some(({ start, end }) => address >= start && address < end)) volatile++;
  }
  return { flushes, volatile, fences };
}
