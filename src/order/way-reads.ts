/** Which words of which lines recovery read on its way to an end, the lines in the order of their first reads. */
import { foldedBit, type Leaf, type RecoveryTree, type Stretch, type TreeWalker, wordsPerLine } from "../tree/index.ts";

export interface Reads {
  /** Line and words by turns; bit i of the words is the i-th of them. */
  readonly lines: Int32Array;
  /** Whether recovery also asked for what was printed, or for files by their names. */
  readonly others: boolean;
}

const wordsKept = 16_000_000;

export class WayReads {
  readonly #firstOther: number;
  /** By end. What was asked on the way to one never changes. */
  #known = new Map<number, Reads>();
  #words = 0;
  #others = false;

  constructor(lines: number) {
    this.#firstOther = lines * wordsPerLine;
  }

  /** `way` leads to the end. */
  of(leaf: Leaf, way: readonly Stretch[], tree: RecoveryTree): Reads {
    const known = this.#known.get(leaf.number);
    if (known !== undefined) return known;
    const words = new Map<number, number>();
    this.#others = false;
    for (const stretch of way) this.#take(stretch, tree, words);
    const reads = { lines: Int32Array.from([...words].flat()), others: this.#others };
    if (this.#words > wordsKept) {
      this.#known = new Map();
      this.#words = 0;
    }
    this.#known.set(leaf.number, reads);
    this.#words += reads.lines.length;
    return reads;
  }

  #take({ from, to, next }: Stretch, { questions }: RecoveryTree, words: Map<number, number>): void {
    for (let at = from; at < to; at++) this.#ask(questions[at]!, words);
    if (next.kind === "fork") this.#ask(next.question, words);
  }

  #ask(asked: number, words: Map<number, number>): void {
    const question = asked & ~foldedBit;
    if (question >= this.#firstOther) {
      this.#others = true;
      return;
    }
    const line = Math.floor(question / wordsPerLine);
    words.set(line, (words.get(line) ?? 0) | (1 << (question % wordsPerLine)));
  }
}
