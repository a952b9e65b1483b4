/**
 * Addresses of a real process in the 32 bits of our records. Always: neighbouring addresses of one claimed range stay
 * neighbours, lines stay lines, and `original` undoes `place`.
 */
import { assert } from "../../../base/index.ts";

interface Claim {
  readonly from: number;
  readonly length: number;
  readonly to: number;
}

const block = 1 << 20;
const down = (address: number): number => address - (address % block);
const limit = 0xffff_0000;

export class AddressMap {
  /** Ordered by `from`; they do not overlap. */
  readonly #claims: Claim[] = [];
  #next = block;
  #last: Claim | undefined;

  /** Makes room for a range; false when 32 bits have no more. */
  claim(start: number, length: number): boolean {
    const end = down(start + length + block - 1);
    for (let at = down(start); at < end; ) {
      const known = this.#claims.find(({ from, length }) => from <= at && at < from + length);
      if (known !== undefined) {
        at = known.from + known.length;
        continue;
      }
      const next = this.#claims.find(({ from }) => from > at)?.from ?? end;
      if (!this.#add(at, Math.min(end, next) - at)) return false;
      at = Math.min(end, next);
    }
    return true;
  }

  #add(from: number, length: number): boolean {
    assert(from % block === 0 && length % block === 0, "claims are whole blocks, so that lines stay lines");
    if (this.#next + length > limit) return false;
    const before = this.#claims.filter((claim) => claim.from < from).length;
    this.#claims.splice(before, 0, { from, length, to: this.#next });
    this.#next += length + block;
    return true;
  }

  /** Pieces of a claimed range that are neighbours here too. */
  pieces(
    start: number,
    length: number,
  ): { readonly start: number; readonly length: number; readonly skipped: number }[] {
    const end = start + length;
    return this.#claims.flatMap((claim) => {
      const from = Math.max(start, claim.from);
      const to = Math.min(end, claim.from + claim.length);
      return from < to ? [{ start: claim.to + from - claim.from, length: to - from, skipped: from - start }] : [];
    });
  }

  /** Undefined when no claim holds the address. */
  place(address: number): number | undefined {
    const last = this.#last;
    if (last !== undefined && address >= last.from && address < last.from + last.length)
      return last.to + address - last.from;
    this.#last = this.#claims.find(({ from, length }) => from <= address && address < from + length);
    return this.#last === undefined ? undefined : this.#last.to + address - this.#last.from;
  }

  original(address: number): number {
    const claim = this.#claims.find(({ to, length }) => to <= address && address < to + length);
    assert(claim !== undefined, "an address to undo was placed before");
    return claim.from + address - claim.to;
  }
}
