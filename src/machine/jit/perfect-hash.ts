/** A hash without collisions for a few addresses, known when the code is written. */
import { assert } from "../../base/index.ts";

export interface PerfectHash {
  /** (address × multiplier, modulo 2³²) >>> shift is the address's entry. */
  readonly multiplier: number;
  readonly shift: number;
  /** Which of the addresses has this entry. */
  readonly entries: readonly (number | undefined)[];
}

/** Odd, and without pattern: 2³² divided by the golden ratio. */
const firstMultiplier = 0x9e37_79b1;
const triesPerSize = 400;
const maxBits = 16;

export function perfectHash(addresses: readonly number[]): PerfectHash {
  for (let bits = Math.ceil(Math.log2(addresses.length)) + 1; bits <= maxBits; bits++)
    for (let attempt = 0; attempt < triesPerSize; attempt++) {
      const multiplier = (firstMultiplier + Math.imul(attempt * 2, 0x85eb_ca6b)) >>> 0;
      const entries = place(addresses, multiplier, bits);
      if (entries) return { multiplier, shift: 32 - bits, entries };
    }
  assert(false, "jit: different addresses have a perfect hash");
}

function place(addresses: readonly number[], multiplier: number, bits: number): (number | undefined)[] | undefined {
  const entries = new Array<number | undefined>(1 << bits).fill(undefined);
  for (const [i, address] of addresses.entries()) {
    const entry = Math.imul(address, multiplier) >>> (32 - bits);
    if (entries[entry] !== undefined) return undefined;
    entries[entry] = i;
  }
  return entries;
}
