/**
 * Which store each byte of a content is from, as Jaaru tells crash states apart: by the stores that recovery's loads see, not
 * by their values. Always: a store that leaves every byte as it was is none (Jaaru drops it).
 */
import { type StoresByLine, type TracePoints, wordsPerLine } from "../../crash/recovery-tree/index.ts";

const bytesPerWord = 4;
/** What the line held before any store. */
const base = -1;

export class StoreClasses {
  readonly #points: TracePoints;
  readonly #stores: StoresByLine;
  readonly #owners = new Map<number, Int32Array>();

  constructor(points: TracePoints, stores: StoresByLine) {
    this.#points = points;
    this.#stores = stores;
  }

  /** The same for contents whose bytes of these words are from the same stores. Bit i of `words` is the i-th four bytes. */
  class(line: number, content: number, words: number): string {
    const owners = this.#ownersOf(line, content);
    const seen: number[] = [];
    for (let word = 0; word < wordsPerLine; word++)
      if ((words >>> word) & 1)
        for (let byte = 0; byte < bytesPerWord; byte++) seen.push(owners[word * bytesPerWord + byte]!);
    return seen.join();
  }

  #ownersOf(line: number, content: number): Int32Array {
    const known = this.#owners.get(content);
    if (known !== undefined) return known;
    const { cuts } = this.#points.tables;
    const [kept, pieces] = [cuts[2 * content]!, cuts[2 * content + 1]!];
    const owners = new Int32Array(wordsPerLine * bytesPerWord).fill(base);
    const end = Math.min(this.#stores.count(line), kept + 32);
    for (let number = 0; number < end; number++) {
      const { store, silent } = this.#stores.at(line, number);
      const isKept = number < kept || (pieces >>> (number - kept)) & 1;
      if (isKept && !silent) owners.fill(number, store.offset, store.offset + store.size);
    }
    this.#owners.set(content, owners);
    return owners;
  }
}
