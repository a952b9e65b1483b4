/**
 * Crash states at a failure point, each legal by docs/MODEL.md §2: one cut per line between what is surely persisted and
 * all that was stored. The kinds here cut a line at either end; which lines are cut short makes the state.
 */
import { fullContents, type LineKey, type PmLines, type TrackedLine } from "../pmem/index.ts";

/**
 * prefix: every store so far is kept. durable: only what is surely persisted. line-lost: all but one line's pending stores.
 */
export type StateKind = "prefix" | "durable" | "line-lost";

export interface CrashState {
  readonly kind: StateKind;
  /** Lines that keep only what is surely persisted. */
  readonly lost: readonly TrackedLine[];
}

/** Few states, all different in what they lose. */
export function statesAt(lines: PmLines): readonly CrashState[] {
  const open = lines.open;
  const states: CrashState[] = [{ kind: "prefix", lost: [] }];
  if (open.length > 0) states.push({ kind: "durable", lost: open });
  if (open.length > 1) for (const line of open) states.push({ kind: "line-lost", lost: [line] });
  return states;
}

export const lostKeys = (lost: readonly TrackedLine[]): ReadonlySet<LineKey> => new Set(lost.map(({ key }) => key));

/** What every line that was stored to holds after the crash. */
export function* contentsOf(
  lines: PmLines,
  lost: readonly TrackedLine[],
): Iterable<{ readonly file: number; readonly index: number; readonly bytes: Uint8Array }> {
  const keys = lostKeys(lost);
  for (const line of lines.tracked) {
    const bytes = keys.has(line.key) ? line.persisted : fullContents(line);
    yield { file: line.file, index: line.index, bytes };
  }
}
