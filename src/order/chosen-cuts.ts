/**
 * The cuts that one recovery's reads have come to, a line each: what choices.ts is where every line has but one. Always: of a line
 * the newest cut counts, which is of all its words that were read.
 */
import { contradict } from "./choices.ts";
import type { CutBounds, LineView, MadeStore } from "./line-stores.ts";
import { type OrderViolation, violationsOf } from "./violations.ts";

/** Kept at most. */
const pairsKept = 500_000;

/** What one cut violates beside another, worked out once. */
export class Contradictions {
  #known = new Map<CutBounds, Map<CutBounds, readonly OrderViolation[]>>();
  #room = pairsKept;

  of(cut: CutBounds, other: CutBounds): readonly OrderViolation[] {
    const own = this.#known.get(cut) ?? new Map<CutBounds, readonly OrderViolation[]>();
    const known = own.get(other);
    if (known !== undefined) return known;
    if (this.#room-- === 0) {
      this.#known = new Map();
      this.#room = pairsKept;
    }
    const found = contradict(cut, other) ? violationsOf(cut, [{ line: -1, cuts: [other] }]) : [];
    own.set(other, found);
    this.#known.set(cut, own);
    return found;
  }
}

/** Contents of a line that a recovery cannot tell apart by the words that it has read. What more words make of them is worked out once. */
export class Agreeing {
  readonly #contents: readonly number[];
  readonly #parted = new Map<LineView, ReadonlyMap<CutBounds, Agreeing>>();

  constructor(contents: readonly number[]) {
    this.#contents = contents;
  }

  /** By what they look like in this view, once each. */
  by(view: LineView): ReadonlyMap<CutBounds, Agreeing> {
    const known = this.#parted.get(view);
    if (known !== undefined) return known;
    const contents = new Map<CutBounds, number[]>();
    for (const content of this.#contents) {
      const bounds = view.bounds(content);
      const alike = contents.get(bounds);
      if (alike === undefined) contents.set(bounds, [content]);
      else alike.push(content);
    }
    const parted = new Map([...contents].map(([bounds, alike]) => [bounds, new Agreeing(alike)]));
    this.#parted.set(view, parted);
    return parted;
  }
}

export class ChosenCuts {
  readonly #contradictions: Contradictions;
  readonly #cuts = new Map<number, CutBounds>();
  /** By thread: the crash came at or after the one, and before the other. */
  readonly #begins: number[];
  readonly #ends: number[];

  constructor(threads: number, contradictions: Contradictions) {
    this.#contradictions = contradictions;
    this.#begins = Array.from({ length: threads }, () => 0);
    this.#ends = Array.from({ length: threads }, () => Number.POSITIVE_INFINITY);
  }

  isContradicted({ begins, ends }: CutBounds): boolean {
    for (let thread = 0; thread < begins.length; thread++)
      if (begins[thread]! >= this.#ends[thread]! || this.#begins[thread]! >= ends[thread]!) return true;
    return false;
  }

  add(line: number, cut: CutBounds): void {
    this.#cuts.set(line, cut);
    for (let thread = 0; thread < cut.begins.length; thread++) {
      this.#begins[thread] = Math.max(this.#begins[thread]!, cut.begins[thread]!);
      this.#ends[thread] = Math.min(this.#ends[thread]!, cut.ends[thread]!);
    }
  }

  /** Every store that is missing, with the first one of all lines that was kept and should have waited for it. */
  violations(cut: CutBounds): readonly OrderViolation[] {
    const tooOld = new Map<MadeStore, OrderViolation>();
    const found: OrderViolation[] = [];
    for (const other of this.#cuts.values())
      for (const violation of this.#contradictions.of(cut, other)) {
        if (violation.reading === "too new") found.push(violation);
        else {
          const known = tooOld.get(violation.missing);
          if (known === undefined || violation.kept.clock < known.kept.clock) tooOld.set(violation.missing, violation);
        }
      }
    for (const violation of tooOld.values()) found.push(violation);
    return found;
  }
}
