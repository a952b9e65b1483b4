/**
 * Lengths of the objects that a program was given, by where they start. Compiled code (core/objects.ts) knows them by a table: a
 * place for each hash. Always: a place has the only object of its hash, or none, or two have met there; from then on all
 * objects of that hash are here.
 */
import { type TrackerMemory, table, wordAt } from "./memory.ts";

/** The words of a place. */
export const inObject = { start: 0, length: 1 } as const;
export const objectShift = 3;
export const objectHashes = 1 << 14;
/** Instead of a start: objects of this hash are kept by TypeScript. */
export const objectsMet = 1;

const placeOf = (start: number): number =>
  wordAt(table.objects) + (((start >>> 6) ^ (start >>> 16)) & (objectHashes - 1)) * 2;

export class GivenObjects {
  readonly #memory: TrackerMemory;
  readonly #met = new Map<number, number>();

  constructor(memory: TrackerMemory) {
    this.#memory = memory;
  }

  set(start: number, length: number): void {
    const { words } = this.#memory;
    const at = placeOf(start);
    const there = words[at + inObject.start]!;
    if (there === 0 || there === start) {
      words[at + inObject.start] = start;
      words[at + inObject.length] = length;
      return;
    }
    if (there !== objectsMet) this.#met.set(there, words[at + inObject.length]!);
    words[at + inObject.start] = objectsMet;
    this.#met.set(start, length);
  }

  /** The object's length, which is forgotten; 0 for none. */
  take(start: number): number {
    const { words } = this.#memory;
    const at = placeOf(start);
    if (words[at + inObject.start] === start) {
      words[at + inObject.start] = 0;
      return words[at + inObject.length]!;
    }
    const length = this.#met.get(start) ?? 0;
    this.#met.delete(start);
    return length;
  }
}
