/**
 * Byte ranges that do not overlap, each with something attached, in order of address. Neighbours are not joined. They lie in
 * pieces of bounded length, so that a range among a hundred thousand others is put in its place without moving them.
 */
export interface Range<Data> {
  readonly start: number;
  readonly end: number;
  readonly data: Data;
}

/** A piece that grows longer than this is split in two. */
const maxPiece = 128;

export class RangeMap<Data> {
  /** None is empty, except for the only one. */
  #pieces: Range<Data>[][] = [[]];

  *[Symbol.iterator](): Generator<Range<Data>> {
    for (const piece of this.#pieces) yield* piece;
  }

  get isEmpty(): boolean {
    return this.#pieces[0]!.length === 0;
  }

  clear(): void {
    if (this.#pieces.length > 1) this.#pieces = [[]];
    else this.#pieces[0]!.length = 0;
  }

  /** The range that holds an address. */
  at(address: number): Range<Data> | undefined {
    return this.overlap(address, address + 1);
  }

  /** The first range that shares a byte with [start, end). */
  overlap(start: number, end: number): Range<Data> | undefined {
    const piece = this.#pieces[this.#pieceOf(start)]!;
    const range = piece[firstEndingAfter(piece, start)];
    return range !== undefined && range.start < end ? range : undefined;
  }

  /** The range that holds all of [start, end). */
  holding(start: number, end: number): Range<Data> | undefined {
    const range = this.at(start);
    return range !== undefined && range.end >= end ? range : undefined;
  }

  /** What lies around an address up to the next ranges; undefined if the address is in one. */
  gapAt(address: number): { readonly start: number; readonly end: number } | undefined {
    const number = this.#pieceOf(address);
    const piece = this.#pieces[number]!;
    const index = firstEndingAfter(piece, address);
    const next = piece[index]?.start ?? 2 ** 32;
    if (next <= address) return undefined;
    const before = index > 0 ? piece[index - 1] : this.#pieces[number - 1]?.at(-1);
    return { start: before?.end ?? 0, end: next };
  }

  /** Whether every byte of [start, end) is in some range. */
  covers(start: number, end: number): boolean {
    for (let at = start; at < end; ) {
      const range = this.overlap(at, at + 1);
      if (range === undefined) return false;
      at = range.end;
    }
    return true;
  }

  /** Adds what of [start, end) is not there yet; what is there keeps its data. */
  add(start: number, end: number, data: Data): void {
    for (let at = start; at < end; ) {
      const next = this.overlap(at, end);
      const gap = next === undefined ? end : Math.max(at, next.start);
      if (gap > at) this.#insert({ start: at, end: gap, data });
      at = next === undefined ? end : next.end;
    }
  }

  /** Cuts [start, end) out. */
  remove(start: number, end: number): void {
    for (;;) {
      const number = this.#pieceOf(start);
      const piece = this.#pieces[number]!;
      const index = firstEndingAfter(piece, start);
      const range = piece[index];
      if (range === undefined || range.start >= end) return;
      piece.splice(index, 1);
      if (piece.length === 0 && this.#pieces.length > 1) this.#pieces.splice(number, 1);
      if (range.start < start) this.#insert({ start: range.start, end: start, data: range.data });
      if (range.end > end) this.#insert({ start: end, end: range.end, data: range.data });
    }
  }

  /** It overlaps none. */
  #insert(range: Range<Data>): void {
    const number = this.#pieceOf(range.start);
    const piece = this.#pieces[number]!;
    piece.splice(firstEndingAfter(piece, range.start), 0, range);
    if (piece.length > maxPiece) this.#pieces.splice(number + 1, 0, piece.splice(maxPiece >>> 1));
  }

  /** The first piece with a range that ends after an address; the last one if there is none. */
  #pieceOf(address: number): number {
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#pieces[middle]!.at(-1)!.end > address) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function firstEndingAfter<Data>(ranges: readonly Range<Data>[], address: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.end > address) high = middle;
    else low = middle + 1;
  }
  return low;
}
