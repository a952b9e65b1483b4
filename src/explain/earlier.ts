/**
 * The stores just before the lost ones that share their fate. The fewest lost stores prove a failure; what a reader has to
 * persist is all that the same call stored to that line. Always: recovery fails without all of them, too.
 */
import type { CutLine, PmStore, TrackedLine } from "../crash/index.ts";
import { outsideTheSystem, ownPosition, statementOf } from "../finding/index.ts";
import type { Frame } from "../trace/index.ts";

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

/** Lines cut so that all that one statement stored is lost; none where the lost store is all of it. */
export function statementCuts(
  open: readonly TrackedLine[],
  lost: PmStore,
  framesOf: (store: PmStore) => readonly Frame[],
): readonly CutLine[] {
  const statement = statementOf(framesOf(lost), outsideTheSystem);
  const isPart = (store: PmStore) => statementOf(framesOf(store), outsideTheSystem) === statement;
  if (!open.some(({ pending }) => pending.some((store) => store.seq < lost.seq && isPart(store)))) return [];
  return open.flatMap((line) => {
    const kept = line.pending.findIndex((store) => !store.further && isPart(store));
    return kept < 0 ? [] : [{ line, cut: { kept, pieces: 0 } }];
  });
}
