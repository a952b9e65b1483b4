/**
 * A seeded generator (xoshiro128**): the only source of chance in the project. Plain data, so it can be snapshotted.
 * Seeding follows splitmix32 so that neighbouring seeds give unrelated sequences.
 */
export interface RandomState {
  a: number;
  b: number;
  c: number;
  d: number;
}

export function seedRandom(seed: number | bigint): RandomState {
  let state = Number(BigInt.asUintN(32, BigInt(seed) ^ (BigInt(seed) >> 32n)));
  const next = () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  return { a: next(), b: next(), c: next(), d: next() };
}

const rotateLeft = (x: number, k: number) => (x << k) | (x >>> (32 - k));

/** The next 32 uniformly distributed bits, unsigned. */
export function next32(random: RandomState): number {
  const result = Math.imul(rotateLeft(Math.imul(random.b, 5), 7), 9) >>> 0;
  const t = random.b << 9;
  random.c ^= random.a;
  random.d ^= random.b;
  random.b ^= random.c;
  random.a ^= random.d;
  random.c ^= t;
  random.d = rotateLeft(random.d, 11);
  return result;
}

/** A whole number in [0, limit). The bias for limits far below 2^32 is negligible here. */
export const below = (random: RandomState, limit: number): number =>
  Math.floor((next32(random) / 0x1_0000_0000) * limit);

export const next64 = (random: RandomState): bigint => (BigInt(next32(random)) << 32n) | BigInt(next32(random));

export const pick = <T>(random: RandomState, items: readonly T[]): T => items[below(random, items.length)] as T;
