/**
 * What a crash may leave of one line: a cut. Always:
 * - `kept` counts the line's pending stores that are kept, whole, oldest first (PM-24).
 * - The store right behind them may be kept in part if it came in several pieces: bit i of `pieces` says that its i-th
 *   piece in this line is. Which of them a crash keeps is free (docs/MODEL.md §2). All of them would be a larger `kept`.
 */
import { assert } from "../../../base/index.ts";
import { applyStore, type PmLines, type TrackedLine } from "./lines.ts";

export interface LineCut {
  readonly kept: number;
  readonly pieces: number;
}

/** A crash loses or keeps all that is not surely persisted. */
export const nothingKept: LineCut = { kept: 0, pieces: 0 };
export const allKept = ({ pending }: TrackedLine): LineCut => ({ kept: pending.length, pieces: 0 });

/** How many pieces of one store lie at `from` of the line's pending stores, which begin one there. */
export function piecesAt({ pending }: TrackedLine, from: number): number {
  let end = from + 1;
  while (end < pending.length && pending[end]!.further && pending[end]!.seq === pending[end - 1]!.seq + 1) end++;
  return Math.min(end, pending.length) - from;
}

/** Every cut there is, fewest stores first. */
export function* lineCuts(line: TrackedLine): Iterable<LineCut> {
  for (let kept = 0; kept < line.pending.length; ) {
    const pieces = piecesAt(line, kept);
    for (let mask = 0; mask < 2 ** pieces - 1; mask++) yield { kept, pieces: mask };
    kept += pieces;
  }
  yield allKept(line);
}

/**
 * strict: what a crash leaves that keeps so many of the pending stores of all lines, oldest first; of the first that is not kept
 * whole, its first pieces. Lines that keep all are not named.
 */
export function prefixCuts(
  lines: Pick<PmLines, "inOrder">,
  stores: number,
): readonly { readonly line: TrackedLine; readonly cut: LineCut }[] {
  const kept = new Map<TrackedLine, number>();
  for (const [at, { line }] of lines.inOrder.entries()) kept.set(line, (kept.get(line) ?? 0) + (at < stores ? 1 : 0));
  return [...kept]
    .filter(([line, count]) => count < line.pending.length)
    .map(([line, count]) => ({ line, cut: cutAfter(line, count) }));
}

/** Of so many of the line's pending stores, pieces counted each. */
function cutAfter(line: TrackedLine, count: number): LineCut {
  let kept = 0;
  for (let next = piecesAt(line, 0); kept + next <= count; next = piecesAt(line, kept)) kept += next;
  return { kept, pieces: 2 ** (count - kept) - 1 };
}

/** The line's contents after the crash. */
export function contentsAt(line: TrackedLine, { kept, pieces }: LineCut): Uint8Array {
  assert(kept <= line.pending.length, "a crash keeps stores that there are");
  const contents = line.persisted.slice();
  for (let i = 0; i < kept; i++) applyStore(contents, line.pending[i]!);
  for (let i = 0; pieces >>> i !== 0; i++) if ((pieces >>> i) & 1) applyStore(contents, line.pending[kept + i]!);
  return contents;
}
