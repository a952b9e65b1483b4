/** Which words of which lines recovery read on its way to an end, the lines in the order of their first reads. */
import {
  foldedBit,
  type Leaf,
  type RecoveryTree,
  type Stretch,
  wordsPerLine,
} from "../../crash/recovery-tree/index.ts";

export interface Reads {
  /** Line and words by turns; bit i of the words is the i-th of them. */
  readonly lines: Int32Array;
  /** The same without what was only read to take a checksum. */
  readonly plain: Int32Array;
  /** Whether recovery also asked for what was printed, or for files by their names. */
  readonly others: boolean;
}

const wordsKept = 16_000_000;

export class WayReads {
  readonly #firstOther: number;
  /** By end. What was asked on the way to one never changes. */
  #known = new Map<number, Reads>();
  #room = wordsKept;
  #words = new Map<number, number>();
  #plain = new Map<number, number>();
  #others = false;

  constructor(lines: number) {
    this.#firstOther = lines * wordsPerLine;
  }

  /** `way` leads to the end. */
  of(leaf: Leaf, way: readonly Stretch[], tree: RecoveryTree): Reads {
    const known = this.#known.get(leaf.number);
    if (known !== undefined) return known;
    this.#words = new Map();
    this.#plain = new Map();
    this.#others = false;
    for (const stretch of way) this.#take(stretch, tree);
    const packed = (words: ReadonlyMap<number, number>) => Int32Array.from([...words].flat());
    const reads = { lines: packed(this.#words), plain: packed(this.#plain), others: this.#others };
    if (this.#room < 0) {
      this.#known = new Map();
      this.#room = wordsKept;
    }
    this.#known.set(leaf.number, reads);
    this.#room -= reads.lines.length + reads.plain.length;
    return reads;
  }

  #take(stretch: Stretch, tree: RecoveryTree): void {
    for (const asked = tree.read(stretch); asked.isMore; asked.pass()) this.#ask(asked.question);
    const { next } = stretch;
    if (next.kind === "fork") this.#ask(next.question);
  }

  #ask(asked: number): void {
    const question = asked & ~foldedBit;
    if (question >= this.#firstOther) {
      this.#others = true;
      return;
    }
    const line = Math.floor(question / wordsPerLine);
    const word = 1 << (question % wordsPerLine);
    this.#words.set(line, (this.#words.get(line) ?? 0) | word);
    if (question === asked) this.#plain.set(line, (this.#plain.get(line) ?? 0) | word);
  }
}
