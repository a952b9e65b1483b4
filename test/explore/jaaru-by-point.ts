/**
 * How many executions Jaaru would take, without running them: at each point, for each way that recovery can go, the
 * choices of stores that give the answers along it. The slow twin of engines/compare/jaaru-count.ts: every question is gone through at each point.
 */

import {
  type OtherAnswers,
  type PlannedPoints,
  PointView,
  type RecoveryTree,
  type Stretch,
  wordsPerLine,
} from "../../src/crash/recovery-tree/index.ts";
import { StoreClasses } from "../../src/engines/compare/store-classes.ts";

/** A line on the way: the contents that agree with the answers, and which of its words were asked for. */
interface SeenLine {
  readonly contents: readonly number[];
  readonly words: number;
}

class PointCount {
  readonly #planned: PlannedPoints;
  readonly #tree: RecoveryTree;
  readonly #others: OtherAnswers;
  readonly #classes: StoreClasses;
  readonly #view: PointView;
  readonly #seen = new Map<number, SeenLine>();

  constructor(planned: PlannedPoints, tree: RecoveryTree, others: OtherAnswers) {
    this.#planned = planned;
    this.#tree = tree;
    this.#others = others;
    this.#classes = new StoreClasses(planned.points, planned.stores);
    this.#view = new PointView(planned.points);
  }

  at(point: number): bigint {
    this.#view.moveTo(point);
    this.#seen.clear();
    return this.#below(this.#tree.root);
  }

  #below(stretch: Stretch): bigint {
    const undo: (readonly [line: number, before: SeenLine | undefined])[] = [];
    let count = 0n;
    const asked = this.#tree.read(stretch);
    while (asked.isMore && this.#take(asked.question, asked.answer, undo)) asked.pass();
    if (!asked.isMore) count = this.#behind(stretch, undo);
    for (const [line, before] of undo.reverse())
      if (before === undefined) this.#seen.delete(line);
      else this.#seen.set(line, before);
    return count;
  }

  #behind({ next }: Stretch, undo: (readonly [number, SeenLine | undefined])[]): bigint {
    if (next.kind === "leaf") return this.#choices();
    let count = 0n;
    if (next.kind === "fork")
      for (const [answer, way] of next.ways) {
        const length = undo.length;
        if (this.#take(next.question, answer, undo)) count += this.#below(way);
        for (const [line, before] of undo.splice(length).reverse())
          if (before === undefined) this.#seen.delete(line);
          else this.#seen.set(line, before);
      }
    return count;
  }

  /** False when no state of the point gives this answer. */
  #take(question: number, answer: number, undo: (readonly [number, SeenLine | undefined])[]): boolean {
    const { points } = this.#planned;
    const firstOther = points.lines * wordsPerLine;
    if (question >= firstOther) return this.#others.answer(question - firstOther, this.#view.point) === answer;
    const [line, word] = [question >>> 4, question & 15];
    const words = points.contents;
    const [low, high] = [this.#view.low[line]!, this.#view.high[line]!];
    if (low === high) return words.word(high, word) === answer;
    const before = this.#seen.get(line);
    const all = before?.contents ?? Array.from({ length: high - low + 1 }, (_, i) => low + i);
    const contents = all.filter((content) => words.word(content, word) === answer);
    undo.push([line, before]);
    this.#seen.set(line, { contents, words: (before?.words ?? 0) | (1 << word) });
    return contents.length > 0;
  }

  #choices(): bigint {
    let count = 1n;
    for (const [line, { contents, words }] of this.#seen)
      count *= BigInt(new Set(contents.map((content) => this.#classes.class(line, content, words))).size);
    return count;
  }
}

/** For a tree that has every way of every point. */
export function jaaruExecutionsByPoint(planned: PlannedPoints, tree: RecoveryTree, others: OtherAnswers): bigint {
  const count = new PointCount(planned, tree, others);
  let sum = 0n;
  for (let point = 0; point < planned.points.count; point++) sum += count.at(point);
  return sum;
}
