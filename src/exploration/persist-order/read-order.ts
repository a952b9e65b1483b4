/**
 * One recovery on one crash state, judged read by read (PSan, section 5.2, "Implementation"): before a read counts, every other store
 * that it could be from is tried, so that one execution shows many violations. Always: what is tried agrees with the state in
 * all that recovery read before, so that recovery would have come to the same read.
 */
import { foldedBit, type Held, type PlannedPoints, PointView, wordsPerLine } from "../../crash/recovery-tree/index.ts";
import { Agreeing, ChosenCuts, Contradictions, JoinedCuts, type LineSoFar } from "./chosen-cuts.ts";
import type { HappensBefore } from "./happens-before.ts";
import type { IsIgnored } from "./ignored.ts";
import { contentIn, whole } from "./known-recoveries.ts";
import { type CutBounds, LineStores } from "./line-stores.ts";
import { StrictTwins, type WordsHeld } from "./strict-twins.ts";
import type { OrderViolation } from "./violations.ts";

/** What a read could be from, and should not. */
export interface ReadInOrder {
  /** Its position among all that recovery asked. */
  readonly at: number;
  readonly violations: readonly OrderViolation[];
  /** Whether stores in their order leave the same values, in this read and in those before it. To be asked before the next one. */
  readonly hasStrictTwin: () => boolean;
}

export interface ReadsOnState {
  readonly held: readonly Held[];
  readonly questions: Int32Array;
  readonly other: readonly Held[] | undefined;
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

  /**
   * `questions`: what recovery asked, in its order, on the point's state in which these lines hold less than all. Where it reads what `other`
   * read, the recovery on another state of the point that was judged before, nothing is tried again. Gives how many questions that are.
   */
  judge(point: number, { held, questions, other }: ReadsOnState, found: (read: ReadInOrder) => void): number {
    this.view.moveTo(point);
    const chosen = new ChosenCuts(this.#stores.threads, this.#contradictions);
    const { lines } = chosen;
    const most = this.#planned.points.lines * wordsPerLine;
    let shared = other === undefined ? 0 : questions.length;
    let [line, soFar]: [number, LineSoFar | undefined] = [-1, undefined];
    for (let at = 0; at < questions.length; at++) {
      const question = questions[at]!;
      if (question < 0 || question >= most) continue;
      const word = question % wordsPerLine;
      // Mostly, what lies behind the last one is read next.
      const isSameLine = line === (question - word) / wordsPerLine;
      if (!isSameLine) soFar = lines.get((question - word) / wordsPerLine);
      line = (question - word) / wordsPerLine;
      if (soFar === undefined) {
        soFar = this.#begun(line, held, other);
        lines.set(line, soFar);
      }
      soFar.words |= 1 << word;
      const { all, first, positions } = soFar.agreeing.by(word);
      const position = positions[soFar.content - first]!;
      const saysNothing = isSameLine && all.length === 1 && all[0]!.cut === soFar.agreeing.cut;
      if (at >= shared && !saysNothing) this.#try(all, at, line, chosen, found);
      else if (at < shared && position !== positions[soFar.other - first]) shared = at + 1;
      soFar.agreeing = all[position]!;
      chosen.choose(soFar, soFar.agreeing.cut!);
    }
    return shared;
  }

  #begun(line: number, held: readonly Held[], other: readonly Held[] = held): LineSoFar {
    const contentOf = (state: readonly Held[]) => {
      const content = contentIn(state, line);
      return content === whole ? this.view.high[line]! : content;
    };
    return { words: 0, content: contentOf(held), other: contentOf(other), agreeing: this.#window(line) };
  }

  #try(all: readonly Agreeing[], at: number, line: number, chosen: ChosenCuts, found: (read: ReadInOrder) => void) {
    for (const { cut } of all) {
      if (!chosen.isContradicted(cut!)) continue;
      const violations = chosen.violations(cut!);
      if (violations.length > 0) found(this.#read(at, violations, chosen.lines, { line, cut: cut! }));
    }
  }

  /** The lines that recovery read and that could lack something at the point judged last, in the order of their first reads. */
  openLines(questions: Int32Array): readonly number[] {
    const most = this.#planned.points.lines * wordsPerLine;
    const { low, high } = this.view;
    const lines = new Set<number>();
    for (const asked of questions) {
      // What goes into a checksum is read all the same.
      const question = asked & ~foldedBit;
      if (asked < 0 || question >= most) continue;
      const line = (question - (question % wordsPerLine)) / wordsPerLine;
      if (low[line] !== high[line]) lines.add(line);
    }
    return [...lines];
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
    at: number,
    violations: readonly OrderViolation[],
    lines: ReadonlyMap<number, LineSoFar>,
    read: { readonly line: number; readonly cut: CutBounds },
  ): ReadInOrder {
    const held = ([line, { words, content }]: readonly [number, LineSoFar]): WordsHeld => ({
      line,
      words,
      content: line === read.line ? read.cut.content : content,
    });
    return { at, violations, hasStrictTwin: () => this.#twins.has([...lines].map(held), this.view.high) };
  }
}
