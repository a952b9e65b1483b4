/**
 * How accesses of different sizes cut one another: memory is divided at every border of an access. Always:
 * - An access is cut at the same offsets wherever it goes, so that its pieces are whole cells at each of its addresses.
 * - Two cells are the same bytes or have none in common.
 */

export interface AccessExtent {
  /** Wherever it may go. */
  readonly addresses: ReadonlySet<bigint>;
  readonly size: number;
}

export interface CellPiece {
  readonly offset: number;
  readonly size: number;
}

export class Cells {
  /** Addresses where a cell begins or ends. */
  readonly #borders = new Set<bigint>();

  constructor(extents: readonly AccessExtent[]) {
    for (const { addresses, size } of extents)
      for (const address of addresses) this.#borders.add(address).add(address + BigInt(size));
    // Cuts of an access that goes to one address alone are borders already.
    const moving = extents.filter(({ addresses, size }) => addresses.size > 1 && size > 1);
    for (let count = -1; count !== this.#borders.size; ) {
      count = this.#borders.size;
      for (const extent of moving)
        for (const offset of this.#cutsOf(extent))
          for (const address of extent.addresses) this.#borders.add(address + BigInt(offset));
    }
  }

  piecesOf(extent: AccessExtent): CellPiece[] {
    const starts = [0, ...this.#cutsOf(extent)];
    return starts.map((offset, index) => ({ offset, size: (starts[index + 1] ?? extent.size) - offset }));
  }

  #cutsOf({ addresses, size }: AccessExtent): number[] {
    const offsets = Array.from({ length: size - 1 }, (_, index) => index + 1);
    return offsets.filter((offset) => [...addresses].some((address) => this.#borders.has(address + BigInt(offset))));
  }
}
