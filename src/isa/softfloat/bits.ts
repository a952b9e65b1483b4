/** Powers of two and bit lengths of bigints, kept cheap because every operation needs several. */

const CACHED = 256;
const powers = Array.from({ length: CACHED }, (_, n) => 1n << BigInt(n));
const masks = powers.map((power) => power - 1n);
const counts = Array.from({ length: CACHED }, (_, n) => BigInt(n));

/** The bigint of a small non-negative count, without allocating. */
export const big = (n: number): bigint => (n >= 0 && n < CACHED ? (counts[n] as bigint) : BigInt(n));
export const powerOfTwo = (n: number): bigint => (n < CACHED ? (powers[n] as bigint) : 1n << BigInt(n));
export const lowBits = (n: number): bigint => (n < CACHED ? (masks[n] as bigint) : (1n << BigInt(n)) - 1n);

const asDouble = new Float64Array(1);
const asWords = new Uint32Array(asDouble.buffer);

/** How many bits `value` needs; 0 for 0. The double nearest to it is at most one too long. */
export function bitLength(value: bigint): number {
  if (value === 0n) return 0;
  asDouble[0] = Number(value);
  const exponent = (asWords[1] as number) >>> 20;
  if (exponent === 0x7ff) return bitLength(value >> 960n) + 960;
  const length = exponent - 1022;
  return value >> big(length - 1) === 0n ? length - 1 : length;
}

/** Shifts right; a 1 in the lowest bit remembers that something was lost. */
export function shiftRightSticky(value: bigint, count: number): bigint {
  const kept = value >> big(count);
  return kept << big(count) === value ? kept : kept | 1n;
}

/** The whole part of the square root. */
export function integerSquareRoot(value: bigint): bigint {
  if (value === 0n) return 0n;
  const length = bitLength(value);
  if (length <= 52) return BigInt(Math.floor(Math.sqrt(Number(value))));
  const excess = Math.max(0, length - 1000) + 1;
  const shift = excess > 1 ? excess + (excess & 1) : 0;
  let root = BigInt(Math.floor(Math.sqrt(Number(value >> BigInt(shift))))) << BigInt(shift / 2);
  for (let previous = root + 2n; ; ) {
    const next = (root + value / root) >> 1n;
    if (next === root || next === previous) break;
    previous = root;
    root = next;
  }
  while (root * root > value) root -= 1n;
  while ((root + 1n) * (root + 1n) <= value) root += 1n;
  return root;
}
