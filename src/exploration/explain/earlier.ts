/**
 * The stores just before the lost ones that share their fate. The fewest lost stores prove a failure; what a reader has to
 * persist is all that the same call stored to that line. Always: recovery fails without all of them, too.
 */

import { outsideTheSystem, ownPosition, statementOf } from "../../crash/finding/index.ts";
import type { CutLine } from "../../crash/states/index.ts";
import type { PmStore, TrackedLine } from "../../model/pmem/index.ts";
import { eventsBetween, type Frame, type Trace, type TraceEvent } from "../../trace/events/index.ts";

/** The user's function that a store came from, and how it was called; what was inlined there is part of it. */
export function callOf(frames: readonly Frame[]): string {
  const own = frames.slice(ownPosition(frames, outsideTheSystem) ?? 0);
  const [callee, ...callers] = own.filter(({ inlined }) => !inlined);
  return [callee?.function ?? callee?.offset, ...callers.map(({ address }) => address)].join(" ");
}

/** Of one cut line: its stores before the cut, oldest first, with the cut that loses them. */
export function earlierStores(
  { line, cut }: CutLine,
  framesOf: (store: PmStore) => readonly Frame[],
  fails: (earlier: CutLine) => boolean,
): readonly PmStore[] {
  const firstLost = line.pending[cut.kept];
  if (firstLost === undefined || cut.pieces !== 0) return [];
  const call = callOf(framesOf(firstLost));
  let kept = cut.kept;
  while (kept > 0 && callOf(framesOf(line.pending[kept - 1]!)) === call) kept--;
  // A cut between the pieces of one store is none.
  while (kept < cut.kept && line.pending[kept]!.further) kept++;
  return kept < cut.kept && fails({ line, cut: { kept, pieces: 0 } }) ? line.pending.slice(kept, cut.kept) : [];
}

/** Lines cut so that all that one statement stored in one go is lost; none where the lost stores are all of it. */
export function statementCuts(
  open: readonly TrackedLine[],
  lost: readonly PmStore[],
  framesOf: (store: PmStore) => readonly Frame[],
): readonly CutLine[] {
  const [first] = lost;
  if (first === undefined) return [];
  const statement = statementOf(framesOf(first), outsideTheSystem);
  const isPart = (store: PmStore) => statementOf(framesOf(store), outsideTheSystem) === statement;
  if (!lost.every(isPart)) return [];
  const all = open.flatMap(({ pending }) => pending).sort((a, b) => a.seq - b.seq);
  const at = all.findIndex(({ seq }) => seq === first.seq);
  const from = all.findLastIndex((store, index) => index < at && !isPart(store)) + 1;
  const next = all.findIndex((store, index) => index > at && !isPart(store));
  const run = new Set(all.slice(from, next < 0 ? all.length : next).map(({ seq }) => seq));
  if (run.size <= lost.length) return [];
  const lostLines = open.flatMap((line) => {
    const kept = line.pending.findIndex(({ seq }) => run.has(seq));
    return kept < 0 ? [] : [{ line, cut: { kept, pieces: 0 } }];
  });
  // A store across two lines begins in the other one.
  const isBeginning = ({ further, seq }: PmStore) => !further || run.has(seq - 1);
  return lostLines.every(({ line, cut }) => isBeginning(line.pending[cut.kept]!)) ? lostLines : [];
}

/** Whether what a crash left is what the trace had before its first lost store: all that came later was lost. */
export function leavesPrefix(trace: Trace, before: number, lost: ReadonlySet<number>): boolean {
  if (lost.size === 0) return false;
  for (const { kind, seq } of eventsBetween(trace, Math.min(...lost), before))
    if ((kind === "store" || kind === "non-temporal") && !lost.has(seq)) return false;
  return true;
}

const fences: ReadonlySet<string> = new Set(["sfence", "mfence", "locked"]);

/** The moment after a store at which its thread has printed something, or has fenced and stored on. */
export function goneOnAfter(trace: Trace, { seq, thread }: Pick<PmStore, "seq" | "thread">): number | undefined {
  let isFenced = false;
  for (const event of eventsBetween(trace, seq + 1, trace.count)) {
    if (event.thread !== thread) continue;
    if (event.kind === "output") return event.seq + 1;
    if (isFenced && (event.kind === "store" || event.kind === "non-temporal")) return event.seq + 1;
    isFenced ||= fences.has(event.kind);
  }
  return undefined;
}

/** The last store before an event to the address that it stores to. */
export function storeBefore(trace: Trace, stored: TraceEvent): TraceEvent | undefined {
  if (!("address" in stored)) return undefined;
  let last: TraceEvent | undefined;
  for (const event of eventsBetween(trace, 0, stored.seq))
    if ((event.kind === "store" || event.kind === "non-temporal") && event.address === stored.address) last = event;
  return last;
}
