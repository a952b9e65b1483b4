/**
 * Which stores the reads of one way may be from, such that a crash under strict persistency leaves them all: for each line
 * a choice of cuts, no two of which contradict each other. Always:
 * - Cuts contradict each other if one keeps a store before which happens what the other lacks. Intervals on a line meet if they do
 *   pairwise, and boxes of them too, so pairs decide (PSan, section 4).
 * - The cuts of one line form a chain: who keeps more lacks less. So what is left when every cut without a partner in some
 *   other line is gone is a choice, if anything is left.
 */
import type { CutBounds } from "./line-stores.ts";

/** A line on the way, with the cuts that give the answers recovery got. */
export interface LineOnWay {
  readonly line: number;
  readonly cuts: readonly CutBounds[];
}

type Box = Pick<CutBounds, "begins" | "ends">;

/** Whether one keeps what is too new for the other. */
export function contradict(a: Box, b: Box): boolean {
  for (let thread = 0; thread < a.begins.length; thread++)
    if (a.begins[thread]! >= b.ends[thread]! || b.begins[thread]! >= a.ends[thread]!) return true;
  return false;
}

const together = (a: Box, b: Box): Box => ({
  begins: a.begins.map((begin, thread) => Math.max(begin, b.begins[thread]!)),
  ends: a.ends.map((end, thread) => Math.min(end, b.ends[thread]!)),
});

interface Entry extends LineOnWay {
  cuts: readonly CutBounds[];
}

export class Choices {
  readonly #lines: Entry[] = [];
  /** All lines that have but one cut left... */
  #box: Box;
  /** ...and the others. */
  #open: Entry[] = [];

  constructor(threads: number) {
    this.#box = {
      begins: Array.from({ length: threads }, () => 0),
      ends: Array.from({ length: threads }, () => Number.POSITIVE_INFINITY),
    };
  }

  /** With the cuts that are possible so far. */
  get lines(): readonly LineOnWay[] {
    return this.#lines;
  }

  /** Whether a cut of one more line contradicts one that is possible so far. */
  isContradicted(cut: CutBounds): boolean {
    return contradict(cut, this.#box) || this.#open.some(({ cuts }) => cuts.some((other) => contradict(cut, other)));
  }

  /** Takes one more line; false when no choice is left. */
  add({ line, cuts }: LineOnWay): boolean {
    const entry = { line, cuts };
    this.#lines.push(entry);
    this.#open.push(entry);
    for (let changed = true; changed; ) {
      changed = false;
      for (const open of this.#open) {
        const left = open.cuts.filter((cut) => this.#hasPartners(cut, open));
        if (left.length === 0) return false;
        if (left.length < open.cuts.length) changed = true;
        open.cuts = left;
        if (left.length === 1) this.#box = together(this.#box, left[0]!);
      }
      const { length } = this.#open;
      this.#open = this.#open.filter((open) => open.cuts.length > 1);
      if (this.#open.length < length && this.#open.length > 0) changed = true;
    }
    return true;
  }

  #hasPartners(cut: CutBounds, own: Entry): boolean {
    if (contradict(cut, this.#box)) return false;
    return this.#open.every((open) => open === own || open.cuts.some((other) => !contradict(cut, other)));
  }
}
