/**
 * The cuts that one recovery's reads have come to, a line each: what choices.ts is where every line has but one. Always: of a line
 * the newest cut counts, which is of all its words that were read.
 */
import { contradict } from "./choices.ts";
import type { CutBounds, LineStores, MadeStore } from "./line-stores.ts";
import { type OrderViolation, violationsOf } from "./violations.ts";

/** Kept at most. */
const pairsKept = 500_000;

/** What one cut violates beside another that it contradicts, worked out once. */
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
    const found = violationsOf(cut, [{ line: -1, cuts: [other] }]);
    own.set(other, found);
    this.#known.set(cut, own);
    return found;
  }
}

/** What several words of a line say together, by what each says, in the order in which they are read; worked out once. */
export class JoinedCuts {
  readonly stores: LineStores;
  readonly #known = new Map<CutBounds, Map<CutBounds, CutBounds>>();

  constructor(stores: LineStores) {
    this.stores = stores;
  }

  /** `content` has both. */
  of(before: CutBounds, more: CutBounds, content: number): CutBounds {
    const own = this.#known.get(before) ?? new Map<CutBounds, CutBounds>();
    const known = own.get(more);
    if (known !== undefined) return known;
    const kept = new Set([...before.kept, ...more.kept]);
    const missing = new Set([...before.missing, ...more.missing]);
    const saysMore = kept.size > before.kept.length || missing.size > before.missing.length;
    const joined = saysMore ? together(before, more, { content, kept: [...kept], missing: [...missing] }) : before;
    own.set(more, joined);
    this.#known.set(before, own);
    return joined;
  }
}

const together = (a: CutBounds, b: CutBounds, stores: Pick<CutBounds, "content" | "kept" | "missing">): CutBounds => ({
  ...stores,
  begins: a.begins.map((begin, thread) => Math.max(begin, b.begins[thread]!)),
  ends: a.ends.map((end, thread) => Math.min(end, b.ends[thread]!)),
});

/** What contents look like once one more word is read: those alike together. */
export interface PartedContents {
  readonly all: readonly Agreeing[];
  /** By content, from the first one on: which of these it is in. */
  readonly first: number;
  readonly positions: Uint32Array;
}

/** Contents of a line that a recovery cannot tell apart by the words that it has read. What one more word makes of them is worked out once. */
export class Agreeing {
  readonly #joined: JoinedCuts;
  readonly #line: number;
  readonly #contents: readonly number[];
  /** By word. */
  readonly #parted: (PartedContents | undefined)[] = [];
  /** What they say of the crash; nothing before a word is read. */
  readonly cut: CutBounds | undefined;

  constructor(joined: JoinedCuts, line: number, contents: readonly number[], cut?: CutBounds) {
    this.#joined = joined;
    this.#line = line;
    this.#contents = contents;
    this.cut = cut;
  }

  by(word: number): PartedContents {
    this.#parted[word] ??= this.#part(word);
    return this.#parted[word];
  }

  #part(word: number): PartedContents {
    const view = this.#joined.stores.view(this.#line, 1 << word);
    const alike = new Map<CutBounds, number[]>();
    for (const content of this.#contents) {
      const says = view.bounds(content);
      const known = alike.get(says);
      if (known === undefined) alike.set(says, [content]);
      else known.push(content);
    }
    const first = this.#contents[0]!;
    const positions = new Uint32Array(this.#contents.at(-1)! - first + 1);
    const all = Array.from(alike, ([says, contents], at) => {
      for (const content of contents) positions[content - first] = at;
      const cut = this.cut === undefined ? says : this.#joined.of(this.cut, says, contents[0]!);
      return new Agreeing(this.#joined, this.#line, contents, cut);
    });
    return { all, first, positions };
  }
}

/** A line while a recovery is gone through. */
export interface LineSoFar {
  /** Those that were read; bit i is the i-th of them. */
  words: number;
  /** What it holds, and all that it could hold instead by what was read. */
  readonly content: number;
  /** What it held for a recovery that read the same up to here. */
  readonly other: number;
  agreeing: Agreeing;
  /** What counts of it: as it was read, as far as that contradicted nothing. */
  cut?: CutBounds;
}

export class ChosenCuts {
  readonly #contradictions: Contradictions;
  /** In the order of their first reads. */
  readonly lines = new Map<number, LineSoFar>();
  /** By thread: the crash came at or after the one, and before the other. */
  readonly #begins: number[];
  readonly #ends: number[];

  constructor(threads: number, contradictions: Contradictions) {
    this.#contradictions = contradictions;
    this.#begins = new Array<number>(threads).fill(0);
    this.#ends = new Array<number>(threads).fill(Number.POSITIVE_INFINITY);
  }

  isContradicted({ begins, ends }: CutBounds): boolean {
    for (let thread = 0; thread < begins.length; thread++)
      if (begins[thread]! >= this.#ends[thread]! || this.#begins[thread]! >= ends[thread]!) return true;
    return false;
  }

  /** Unless it contradicts what was chosen before. */
  choose(soFar: LineSoFar, cut: CutBounds): void {
    if (this.isContradicted(cut)) return;
    soFar.cut = cut;
    const { begins, ends } = cut;
    for (let thread = 0; thread < begins.length; thread++) {
      if (begins[thread]! > this.#begins[thread]!) this.#begins[thread] = begins[thread]!;
      if (ends[thread]! < this.#ends[thread]!) this.#ends[thread] = ends[thread]!;
    }
  }

  /** Every store that is missing, with the first one of all lines that was kept and should have waited for it. */
  violations(cut: CutBounds): readonly OrderViolation[] {
    const tooOld = new Map<MadeStore, OrderViolation>();
    const found: OrderViolation[] = [];
    for (const { cut: other } of this.lines.values()) {
      if (other === undefined || !contradict(cut, other)) continue;
      for (const violation of this.#contradictions.of(cut, other)) {
        if (violation.reading === "too new") found.push(violation);
        else {
          const known = tooOld.get(violation.missing);
          if (known === undefined || violation.kept.clock < known.kept.clock) tooOld.set(violation.missing, violation);
        }
      }
    }
    for (const violation of tooOld.values()) found.push(violation);
    return found;
  }
}
