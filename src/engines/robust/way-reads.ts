/** Which words of which lines recovery read on its way to an end, the lines in the order of their first reads. */
import {
  foldedBit,
  type Leaf,
  type RecoveryTree,
  type Stretch,
  type TreeWalker,
  wordsPerLine,
} from "../../tree/index.ts";

/** Line and words by turns; bit i of the words is the i-th of them. */
export type Reads = Int32Array;

const wordsKept = 16_000_000;

export class WayReads {
  readonly #firstOther: number;
  /** By end. What was asked on the way to one never changes. */
  #known = new Map<number, Reads>();
  #words = 0;

  constructor(lines: number) {
    this.#firstOther = lines * wordsPerLine;
  }

  /** The walker stands at the end. */
  of(leaf: Leaf, walker: TreeWalker): Reads {
    const known = this.#known.get(leaf.number);
    if (known !== undefined) return known;
    const words = new Map<number, number>();
    for (const stretch of walker.way()) this.#take(stretch, walker.tree, words);
    const reads = Int32Array.from([...words].flat());
    if (this.#words > wordsKept) {
      this.#known = new Map();
      this.#words = 0;
    }
    this.#known.set(leaf.number, reads);
    this.#words += reads.length;
    return reads;
  }

  #take({ from, to, next }: Stretch, { questions }: RecoveryTree, words: Map<number, number>): void {
    for (let at = from; at < to; at++) this.#ask(questions[at]!, words);
    if (next.kind === "fork") this.#ask(next.question, words);
  }

  #ask(asked: number, words: Map<number, number>): void {
    const question = asked & ~foldedBit;
    if (question >= this.#firstOther) return;
    const line = Math.floor(question / wordsPerLine);
    words.set(line, (words.get(line) ?? 0) | (1 << (question % wordsPerLine)));
  }
}
