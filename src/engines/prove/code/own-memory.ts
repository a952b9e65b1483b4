/**
 * Memory that one thread alone uses: its stack. Contents are pieces of 1, 2, 4, 8 or 16 bytes as they were stored, cut into bytes where an
 * access does not fit them. Always: pieces do not overlap; what no piece covers is as it was at the start.
 */
import type { Term, Terms } from "../../../smt/index.ts";

export class OwnMemory {
  readonly #terms: Terms;
  readonly #start: (address: number) => number;
  readonly #pieces: Map<number, Term>;

  /** `start` gives a byte of what was there at the start. */
  constructor(terms: Terms, start: (address: number) => number, pieces = new Map<number, Term>()) {
    this.#terms = terms;
    this.#start = start;
    this.#pieces = pieces;
  }

  copy(): OwnMemory {
    return new OwnMemory(this.#terms, this.#start, new Map(this.#pieces));
  }

  load(address: number, size: number): Term {
    const whole = this.#pieces.get(address);
    if (whole?.sort === 8 * size) return whole;
    this.#cutAround(address, size);
    let value = this.#byte(address);
    for (let at = address + 1; at < address + size; at++) value = this.#terms.concat(this.#byte(at), value);
    return value;
  }

  store(address: number, value: Term): void {
    const size = (value.sort as number) / 8;
    if (this.#pieces.get(address)?.sort !== value.sort) {
      this.#cutAround(address, size);
      for (let at = address; at < address + size; at++) this.#pieces.delete(at);
    }
    this.#pieces.set(address, value);
  }

  /** What holds where two ways meet: this one's contents if `own` holds, the other's if not. */
  joined(own: Term, other: OwnMemory): OwnMemory {
    const merged = new OwnMemory(this.#terms, this.#start);
    const addresses = new Set([...this.#pieces.keys(), ...other.#pieces.keys()]);
    let covered = 0;
    for (const address of [...addresses].sort((a, b) => a - b)) {
      const size = sizeOf(this.#pieces.get(address) ?? other.#pieces.get(address)!);
      if (address + size <= covered) continue;
      covered = address + size;
      merged.store(address, this.#terms.choose(own, this.load(address, size), other.load(address, size)));
    }
    return merged;
  }

  #byte(address: number): Term {
    return this.#pieces.get(address) ?? this.#terms.constant(8, BigInt(this.#start(address)));
  }

  /** Pieces that reach into a range become bytes. */
  #cutAround(address: number, size: number): void {
    for (let at = address - largestPiece + 1; at < address + size; at++) {
      const piece = this.#pieces.get(at);
      if (piece === undefined || sizeOf(piece) === 1 || at + sizeOf(piece) <= address) continue;
      this.#pieces.delete(at);
      for (let index = 0; index < sizeOf(piece); index++)
        this.#pieces.set(at + index, this.#terms.extract(piece, 8 * index, 8));
    }
  }
}

const largestPiece = 16;
const sizeOf = (piece: Term): number => (piece.sort as number) / 8;
