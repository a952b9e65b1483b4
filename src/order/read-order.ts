/**
 * One recovery on one crash state, judged read by read (PSan, section 5.2, "Implementation"): before a read counts, every other store
 * that it could be from is tried, so that one execution shows many violations. Always: what is tried agrees with the state in
 * all that recovery read before, so that recovery would have come to the same read.
 */
import { type Held, type PlannedPoints, PointView, wordsPerLine } from "../tree/index.ts";
import { Agreeing, ChosenCuts, Contradictions } from "./chosen-cuts.ts";
import type { HappensBefore } from "./happens-before.ts";
import type { IsIgnored } from "./ignored.ts";
import { type CutBounds, LineStores } from "./line-stores.ts";
import { StrictTwins, type WordsHeld } from "./strict-twins.ts";
import type { OrderViolation } from "./violations.ts";

/** What a read could be from, and should not. */
export interface ReadInOrder {
  readonly violations: readonly OrderViolation[];
  /** Whether stores in their order leave the same values, in this read and in those before it. To be asked before the next one. */
  readonly hasStrictTwin: () => boolean;
}

/** A line while a recovery is gone through: the words that were read, and what agrees with them by store. */
interface LineSoFar {
  words: number;
  agreeing: Agreeing;
}

export class ReadOrder {
  readonly #planned: PlannedPoints;
  readonly #stores: LineStores;
  readonly #twins: StrictTwins;
  readonly #contradictions = new Contradictions();
  /** Of lines, by their first content and how many there are. */
  readonly #windows = new Map<number, Agreeing>();
  readonly view: PointView;

  constructor(planned: PlannedPoints, order: HappensBefore, ignored?: IsIgnored) {
    this.#planned = planned;
    this.#stores = new LineStores(planned, order, ignored);
    this.#twins = new StrictTwins(planned.points, this.#stores);
    this.view = new PointView(planned.points);
  }

  /** `questions`: what recovery asked, in its order, on the point's state in which these lines hold less than all. */
  *judge(point: number, held: readonly Held[], questions: Int32Array): Iterable<ReadInOrder> {
    this.view.moveTo(point);
    const holds = new Map(held);
    const chosenCuts = new ChosenCuts(this.#stores.threads, this.#contradictions);
    const lines = new Map<number, LineSoFar>();
    const most = this.#planned.points.lines * wordsPerLine;
    for (const question of questions) {
      if (question < 0 || question >= most) continue;
      const line = Math.floor(question / wordsPerLine);
      const chosen = holds.get(line) ?? this.view.high[line]!;
      const soFar = lines.get(line) ?? { words: 0, agreeing: this.#window(line) };
      lines.set(line, soFar);
      soFar.words |= 1 << (question % wordsPerLine);
      const view = this.#stores.view(line, soFar.words);
      const own = view.bounds(chosen);
      const parted = soFar.agreeing.by(view);
      for (const cut of parted.keys()) {
        if (!chosenCuts.isContradicted(cut)) continue;
        const violations = chosenCuts.violations(cut);
        if (violations.length > 0) yield this.#read(violations, lines, holds, { line, cut });
      }
      soFar.agreeing = parted.get(own)!;
      if (!chosenCuts.isContradicted(own)) chosenCuts.add(line, own);
    }
  }

  #window(line: number): Agreeing {
    const [low, high] = [this.view.low[line]!, this.view.high[line]!];
    const key = low * 2 ** 21 + (high - low);
    const window = this.#windows.get(key) ?? new Agreeing(Array.from({ length: high - low + 1 }, (_, i) => low + i));
    this.#windows.set(key, window);
    return window;
  }

  #read(
    violations: readonly OrderViolation[],
    lines: ReadonlyMap<number, LineSoFar>,
    holds: ReadonlyMap<number, number>,
    read: { readonly line: number; readonly cut: CutBounds },
  ): ReadInOrder {
    const held = ([line, soFar]: readonly [number, LineSoFar]): WordsHeld => {
      const content = line === read.line ? read.cut.content : (holds.get(line) ?? this.view.high[line]!);
      return { line, words: soFar.words, content };
    };
    return { violations, hasStrictTwin: () => this.#twins.has([...lines].map(held), this.view.high) };
  }
}
