/**
 * The bytes of contents, which are kept as what each of them changes of the one before it: most stores change a word or two of their
 * line's sixteen, and a run may have ten million of them. Always:
 * - Contents of one line have numbers one after another. The first begins with zeros, each other with the last whole one before it: what
 *   tears a store changes nothing for those that follow.
 * - At every sixteenth content it is known what it begins with, so that going to any content costs sixteen steps at most.
 * - What was looked at is kept in plain words, as long as there is room.
 */
import { assert } from "../../base/index.ts";

/** Plain data, in memory that threads share: goes to other threads as it is. */
export interface ContentTable {
  /** Of each content: its head, and the words that it changes. */
  readonly changes: Int32Array;
  /** Of each sixteenth content: where its head lies, and the words that it begins with. */
  readonly marks: Int32Array;
}

export const wordsPerLine = 16;
/** In a head: bit i says that the i-th word changes, these whether it begins with zeros, and whether a store is torn. */
export const headBits = { first: 1 << wordsPerLine, torn: 1 << (wordsPerLine + 1) } as const;

const perMark = 16;
export const markWords = 1 + wordsPerLine;
const blockWords = perMark * wordsPerLine;
/** Sixteen contents are a block: so many are kept, a kilobyte each. */
const mostBlocks = 1 << 15;

/** One content after another. */
class ContentSteps {
  readonly #changes: Int32Array;
  at = 0;
  /** What the next content begins with, if it is not its line's first. */
  readonly whole = new Int32Array(wordsPerLine);
  readonly now = new Int32Array(wordsPerLine);

  constructor(changes: Int32Array) {
    this.#changes = changes;
  }

  /** `now` holds the next content. */
  step(): void {
    const head = this.#changes[this.at++]!;
    if (head & headBits.first) this.whole.fill(0);
    this.now.set(this.whole);
    for (let word = 0; word < wordsPerLine; word++) if ((head >>> word) & 1) this.now[word] = this.#changes[this.at++]!;
    if ((head & headBits.torn) === 0) this.whole.set(this.now);
  }
}

/** Of so many contents, what every sixteenth begins with. */
export function marksOf(changes: Int32Array, contents: number): Int32Array {
  const marks = new Int32Array(new SharedArrayBuffer(4 * markWords * Math.ceil(contents / perMark)));
  const steps = new ContentSteps(changes);
  for (let content = 0; content < contents; content++) {
    if (content % perMark === 0) {
      const at = (content / perMark) * markWords;
      marks[at] = steps.at;
      marks.set(steps.whole, at + 1);
    }
    steps.step();
  }
  assert(steps.at === changes.length, "contents are made of all that changes");
  return marks;
}

export class ContentWords {
  readonly #table: ContentTable;
  readonly #count: number;
  readonly #steps: ContentSteps;
  readonly #blocks: number;
  /** By block: its place among those kept, from 1 on; 0 for one that is not. */
  readonly #places: Int32Array;
  /** By place: the block that is kept there. */
  readonly #kept: Int32Array;
  readonly #words: Int32Array;
  #next = 0;

  constructor(table: ContentTable, count: number, most = mostBlocks) {
    this.#table = table;
    this.#count = count;
    this.#steps = new ContentSteps(table.changes);
    this.#blocks = table.marks.length / markWords;
    const room = Math.min(this.#blocks, most);
    this.#places = new Int32Array(this.#blocks);
    this.#kept = new Int32Array(room).fill(-1);
    this.#words = new Int32Array(room * blockWords);
  }

  word(content: number, index: number): number {
    const place = this.#places[content >>> 4]! || this.#load(content >>> 4);
    return this.#words[(place - 1) * blockWords + (content & (perMark - 1)) * wordsPerLine + index]!;
  }

  /** Valid until another content is looked at. */
  words(content: number): Int32Array {
    const place = this.#places[content >>> 4]! || this.#load(content >>> 4);
    const at = (place - 1) * blockWords + (content & (perMark - 1)) * wordsPerLine;
    return this.#words.subarray(at, at + wordsPerLine);
  }

  /** A copy. */
  bytes(content: number): Uint8Array {
    const words = this.words(content);
    const bytes = new Uint8Array(4 * wordsPerLine);
    // One that never shows its buffer lies in V8's heap.
    for (let at = 0; at < bytes.length; at++) bytes[at] = words[at >>> 2]! >>> (8 * (at & 3));
    return bytes;
  }

  #load(block: number): number {
    assert(block < this.#blocks, "contents are among those that there are");
    const place = this.#next;
    this.#next = (place + 1) % this.#kept.length;
    const before = this.#kept[place]!;
    if (before >= 0) this.#places[before] = 0;
    this.#kept[place] = block;
    this.#places[block] = place + 1;
    this.#fill(block, place * blockWords);
    return place + 1;
  }

  #fill(block: number, to: number): void {
    const steps = this.#steps;
    const mark = block * markWords;
    steps.at = this.#table.marks[mark]!;
    for (let word = 0; word < wordsPerLine; word++) steps.whole[word] = this.#table.marks[mark + 1 + word]!;
    const end = Math.min((block + 1) * perMark, this.#count);
    for (let content = block * perMark; content < end; content++) {
      steps.step();
      this.#words.set(steps.now, to + (content & (perMark - 1)) * wordsPerLine);
    }
  }
}
