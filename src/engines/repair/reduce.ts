/**
 * Fix reduction (Hippocrates, section 3.4.3, phase 2): one flush for stores to one line, one fence for many flushes. Always: an
 * insertion is left out only if X → F(X) → M → I stays true without it, for every finding that was cured and every time the run
 * comes by; it is looked up in the trace of the patched run, where inserted events bear the numbers of their patches.
 */
import { isDurableBefore, patchKey } from "../../crash/insertions/index.ts";
import type { Patch } from "../../machine/index.ts";
import { eventsBetween, type Trace, type TraceEvent } from "../../trace/events/index.ts";
import type { Fix, PatchedInsert } from "./repair.ts";

/** An instance of X, and of I, as positions in the trace. */
export interface DurableBy {
  readonly events: readonly TraceEvent[];
  readonly from: number;
  readonly by: number;
  /** I is the end: the locked operations of exit and munmap come too late to count. */
  readonly isEnd: boolean;
}

/** Of the runs that findings are of: rules may judge another than crashes are made of. */
export function reducedPatches(
  fixes: readonly Fix[],
  patches: readonly Patch[],
  traces: readonly Trace[],
): readonly Patch[] {
  const runs = traces.map((trace) => [...eventsBetween(trace, 0, trace.count)]);
  const inserts = fixes.flatMap((fix) => fix.inserts);
  const left = new Set<number>();
  const isLeft = (event: TraceEvent) => "patch" in event && event.patch !== undefined && left.has(event.patch);
  const holds = ({ events, from, by, isEnd }: DurableBy) =>
    isDurableBefore(events, from, by, (event) => isLeft(event) || (isEnd && event.kind === "locked"));
  const needs = inserts.map((insert) => ({
    insert,
    holding: runs.flatMap((events) => orderingsOf(insert, events)).filter(holds),
  }));
  const orderings = needs.flatMap(({ holding }) => holding);
  // What cannot be looked up is not touched.
  const untouched = new Set(
    needs.flatMap(({ insert, holding }) => (holding.length > 0 ? [] : [patchKey(insert.patch)])),
  );
  for (const number of inTrialOrder(patches)) {
    if (untouched.has(patchKey(patches[number]!))) continue;
    left.add(number);
    if (!orderings.every(holds)) left.delete(number);
  }
  return patches.filter((_patch, number) => !left.has(number));
}

/** Fences first, early before late: of several, the last one completes what all have flushed. */
const inTrialOrder = (patches: readonly Patch[]): readonly number[] => {
  const numbers = patches.map((_patch, number) => number);
  const isFence = (number: number) => patches[number]!.insert === "sfence";
  return [...numbers.filter(isFence), ...numbers.filter((number) => !isFence(number))];
};

/** Each time the run comes by what the insertion is for; a flush of ours is the store's it is of. */
export function orderingsOf(
  { after, by }: Pick<PatchedInsert, "after" | "by">,
  events: readonly TraceEvent[],
): readonly DurableBy[] {
  const isInstance = (event: TraceEvent) => event.site === after.site && !("patch" in event);
  let end = events.length;
  const orderings: DurableBy[] = [];
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]!;
    if (isInstance(event)) orderings.push({ events, from: at, by: end, isEnd: by === undefined });
    if (event.site === by?.site && !("patch" in event)) end = at;
  }
  return orderings;
}

/** The fingerprints of all findings that are gone with it. */
export const curedBy = ({ finding, also }: Fix): readonly string[] => [
  ...(finding === undefined ? [] : [finding.fingerprint]),
  ...also,
];

/** Fixes with what is left of their insertions; a finding whose own are all left out is cured by those before it. */
export function reducedFixes(fixes: readonly Fix[], patches: readonly Patch[]): readonly Fix[] {
  const kept = new Set(patches.map(patchKey));
  const reduced: Fix[] = [];
  for (const fix of fixes) {
    const inserts = fix.inserts.filter(({ patch }) => kept.has(patchKey(patch)));
    const host = inserts.length === 0 ? reduced.pop() : undefined;
    if (host !== undefined) reduced.push({ ...host, also: [...host.also, ...curedBy(fix)] });
    else reduced.push({ ...fix, inserts: inserts.length === 0 ? fix.inserts : inserts });
  }
  return reduced;
}
