/**
 * Where code and data lie while a block is tested, natively and in the machine alike; runner.c repeats the numbers.
 *
 *   0x1100_0000  two pages of code, filled with int3
 *   0x2000_0000  unmapped
 *   0x2000_1000  two writable pages
 *   0x2000_3000  one read-only page
 *   0x2000_4000  unmapped
 *   0x2000_5000  one writable page
 *   0x2000_6000  unmapped
 */
import { below, next32, pick, type RandomState, seedRandom } from "../../src/base/index.ts";

export const pageBytes = 0x1000;
export const codePlace = { start: 0x1100_0000, size: 0x2000 } as const;
export const dataPlace = { start: 0x2000_1000, size: 0x5000 } as const;
export const readOnlyPage = 0x2000_3000;
export const holePage = 0x2000_4000;
/** Runs of writable bytes, as [start, end). */
export const writableRuns = [
  [0x2000_1000, 0x2000_3000],
  [0x2000_5000, 0x2000_6000],
] as const;

export const isWritable = (address: number): boolean =>
  writableRuns.some(([start, end]) => address >= start && address < end);

/** What the data pages hold before a case adds its own bytes. */
export const pristine: Uint8Array = (() => {
  const random = seedRandom(0);
  const words = Uint32Array.from({ length: dataPlace.size / 4 }, () => next32(random));
  return new Uint8Array(words.buffer);
})();

const around = (random: RandomState, address: number, spread: number): bigint =>
  BigInt(address - spread + below(random, 2 * spread));

/** Kinds of target for an access of `size` bytes, likely ones first; each draws one address. */
const kinds: readonly { readonly weight: number; readonly draw: (random: RandomState, size: number) => bigint }[] = [
  { weight: 40, draw: (random) => BigInt(0x2000_1000 + 16 * below(random, 0x1f0)) },
  { weight: 30, draw: (random) => BigInt(0x2000_1000 + below(random, 0x1f00)) },
  { weight: 8, draw: (random, size) => around(random, 0x2000_2000 - (size >> 1), Math.max(size, 4)) },
  { weight: 4, draw: (random, size) => BigInt(0x2000_5000 + below(random, 0x1000 - size)) },
  { weight: 3, draw: (random, size) => around(random, 0x2000_3000 - (size >> 1), Math.max(size, 4)) },
  { weight: 3, draw: (random, size) => around(random, 0x2000_4000 - (size >> 1), Math.max(size, 4)) },
  { weight: 3, draw: (random, size) => around(random, 0x2000_5000 - (size >> 1), Math.max(size, 4)) },
  { weight: 3, draw: (random, size) => around(random, 0x2000_6000 - (size >> 1), Math.max(size, 4)) },
  { weight: 2, draw: (random) => BigInt(readOnlyPage + 16 * below(random, 0xf0)) },
  { weight: 1, draw: (random) => BigInt(0x2000_1000 + below(random, 0x1f00)) + 0x1_0000_0000n },
  { weight: 1, draw: (random) => BigInt.asUintN(64, BigInt(below(random, 64)) - 32n) },
  { weight: 1, draw: (random) => (1n << BigInt(below(random, 64))) + BigInt(below(random, 9)) },
];
const byWeight = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));

/** An address for an access of `size` bytes: mostly plain data, sometimes a page's edge, sometimes nowhere. */
export function drawTarget(random: RandomState, size: number): bigint {
  return BigInt.asUintN(64, pick(random, byWeight).draw(random, Math.max(size, 1)));
}
