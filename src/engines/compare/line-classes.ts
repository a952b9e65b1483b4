/**
 * For every content of a line, which stores some of its words are from, as a number: the same for contents that Jaaru does not tell apart. One
 * pass over the line's stores, however many contents it has. Always: a store that leaves every byte as it was is none (Jaaru drops it).
 */
import { assert } from "../../base/index.ts";
import { type StoresByLine, type TracePoints, wordsPerLine } from "../../crash/recovery-tree/index.ts";

const bytesPerWord = 4;
const bytesPerLine = wordsPerLine * bytesPerWord;
/** What the line held before any store. */
const base = -1;
/** Stores behind those kept of which a content may keep some, as pieces of a wide one. */
const mostPieces = 32;

/** Who stored the line's bytes last. */
class Owners {
  readonly #line: number;
  readonly #stores: StoresByLine;
  readonly bytes: Int32Array;

  constructor(line: number, stores: StoresByLine, bytes = new Int32Array(bytesPerLine).fill(base)) {
    this.#line = line;
    this.#stores = stores;
    this.bytes = bytes;
  }

  /** What came about otherwise than by stores that a crash could lose has no store to take. */
  take(number: number): void {
    if (number >= this.#stores.count(this.#line)) return;
    const { store, silent } = this.#stores.at(this.#line, number);
    if (!silent) this.bytes.fill(number, store.offset, store.offset + store.size);
  }

  /** With some of the stores from a number on. */
  torn(from: number, pieces: number): Owners {
    const torn = new Owners(this.#line, this.#stores, this.bytes.slice());
    for (let piece = 0; piece < mostPieces; piece++) if ((pieces >>> piece) & 1) torn.take(from + piece);
    return torn;
  }
}

/** Bit i of `words` is the i-th four bytes. By content, from the line's first one on. */
export function classesOfContents(points: TracePoints, stores: StoresByLine, line: number, words: number): Int32Array {
  const [first, end] = points.contentsOf(line);
  const { cuts } = points.tables;
  const bytes = Array.from({ length: bytesPerLine }, (_, i) => i).filter((i) => (words >>> (i / bytesPerWord)) & 1);
  const numbers = new Map<string, number>();
  const numberOf = (owners: Owners): number => {
    const key = bytes.map((i) => owners.bytes[i]).join();
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  };
  const classes = new Int32Array(end - first);
  const owners = new Owners(line, stores);
  let taken = 0;
  for (let content = first; content < end; content++) {
    const [kept, pieces] = [cuts[2 * content]!, cuts[2 * content + 1]!];
    assert(kept >= taken, "contents of a line are in the order of its cuts");
    while (taken < kept) owners.take(taken++);
    classes[content - first] = numberOf(pieces === 0 ? owners : owners.torn(kept, pieces));
  }
  return classes;
}
