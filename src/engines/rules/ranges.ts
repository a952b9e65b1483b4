/** Byte ranges that do not overlap, each with something attached, in order of address. Neighbours are not joined. */
export interface Range<Data> {
  readonly start: number;
  readonly end: number;
  readonly data: Data;
}

export class RangeMap<Data> {
  #ranges: Range<Data>[] = [];

  get size(): number {
    return this.#ranges.length;
  }

  [Symbol.iterator](): Iterator<Range<Data>> {
    return this.#ranges[Symbol.iterator]();
  }

  /** The range that holds an address. */
  at(address: number): Range<Data> | undefined {
    const range = this.#ranges[this.#firstEndingAfter(address)];
    return range !== undefined && range.start <= address ? range : undefined;
  }

  /** The first range that shares a byte with [start, end). */
  overlap(start: number, end: number): Range<Data> | undefined {
    const range = this.#ranges[this.#firstEndingAfter(start)];
    return range !== undefined && range.start < end ? range : undefined;
  }

  /** Whether every byte of [start, end) is in some range. */
  covers(start: number, end: number): boolean {
    let at = start;
    for (let index = this.#firstEndingAfter(start); at < end; index++) {
      const range = this.#ranges[index];
      if (range === undefined || range.start > at) return false;
      at = range.end;
    }
    return true;
  }

  /** Adds what of [start, end) is not there yet; what is there keeps its data. */
  add(start: number, end: number, data: Data): void {
    for (let at = start, index = this.#firstEndingAfter(start); at < end; index++) {
      const next = this.#ranges[index];
      const gap = Math.min(end, next?.start ?? end);
      if (gap > at) this.#ranges.splice(index++, 0, { start: at, end: gap, data });
      at = Math.max(gap, next?.end ?? end);
    }
  }

  /** Cuts [start, end) out. */
  remove(start: number, end: number): void {
    const first = this.#firstEndingAfter(start);
    let after = first;
    const kept: Range<Data>[] = [];
    for (; after < this.#ranges.length && this.#ranges[after]!.start < end; after++) {
      const range = this.#ranges[after]!;
      if (range.start < start) kept.push({ ...range, end: start });
      if (range.end > end) kept.push({ ...range, start: end });
    }
    this.#ranges.splice(first, after - first, ...kept);
  }

  #firstEndingAfter(address: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle]!.end > address) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
