/**
 * One recovery on one crash state, judged read by read (PSan, section 5.2, "Implementation"): before a read counts, every other store
 * that it could be from is tried, so that one execution shows many violations. Always: what is tried agrees with the state in
 * all that recovery read before, so that recovery would have come to the same read.
 */
import { type Held, type PlannedPoints, PointView, wordsPerLine } from "../tree/index.ts";
import { Agreeing, ChosenCuts, Contradictions, JoinedCuts, type LineSoFar } from "./chosen-cuts.ts";
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

export class ReadOrder {
  readonly #planned: PlannedPoints;
  readonly #stores: LineStores;
  readonly #twins: StrictTwins;
  readonly #contradictions = new Contradictions();
  readonly #joined: JoinedCuts;
  /** Of lines, by their first content and how many there are. */
  readonly #windows = new Map<number, Agreeing>();
  readonly view: PointView;

  constructor(planned: PlannedPoints, order: HappensBefore, ignored?: IsIgnored) {
    this.#planned = planned;
    this.#stores = new LineStores(planned, order, ignored);
    this.#joined = new JoinedCuts(this.#stores);
    this.#twins = new StrictTwins(planned.points, this.#stores);
    this.view = new PointView(planned.points);
  }

  /** `questions`: what recovery asked, in its order, on the point's state in which these lines hold less than all. */
  *judge(point: number, held: readonly Held[], questions: Int32Array): Iterable<ReadInOrder> {
    this.view.moveTo(point);
    const holds = new Map(held);
    const chosen = new ChosenCuts(this.#stores.threads, this.#contradictions);
    const { lines } = chosen;
    const most = this.#planned.points.lines * wordsPerLine;
    let [line, soFar]: [number, LineSoFar | undefined] = [-1, undefined];
    for (let at = 0; at < questions.length; at++) {
      const question = questions[at]!;
      if (question < 0 || question >= most) continue;
      const word = question % wordsPerLine;
      // Mostly, what lies behind the last one is read next.
      if (line !== (question - word) / wordsPerLine) soFar = lines.get((question - word) / wordsPerLine);
      line = (question - word) / wordsPerLine;
      if (soFar === undefined) {
        soFar = { words: 0, content: holds.get(line) ?? this.view.high[line]!, agreeing: this.#window(line) };
        lines.set(line, soFar);
      }
      soFar.words |= 1 << word;
      const { all, first, positions } = soFar.agreeing.by(word);
      for (const { cut } of all) {
        if (!chosen.isContradicted(cut!)) continue;
        const violations = chosen.violations(cut!);
        if (violations.length > 0) yield this.#read(violations, lines, { line, cut: cut! });
      }
      soFar.agreeing = all[positions[soFar.content - first]!]!;
      chosen.choose(soFar, soFar.agreeing.cut!);
    }
  }

  #window(line: number): Agreeing {
    const [low, high] = [this.view.low[line]!, this.view.high[line]!];
    const key = low * 2 ** 21 + (high - low);
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    const contents = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    const window = new Agreeing(this.#joined, line, contents);
    this.#windows.set(key, window);
    return window;
  }

  #read(
    violations: readonly OrderViolation[],
    lines: ReadonlyMap<number, LineSoFar>,
    read: { readonly line: number; readonly cut: CutBounds },
  ): ReadInOrder {
    const held = ([line, { words, content }]: readonly [number, LineSoFar]): WordsHeld => ({
      line,
      words,
      content: line === read.line ? read.cut.content : content,
    });
    return { violations, hasStrictTwin: () => this.#twins.has([...lines].map(held), this.view.high) };
  }
}
