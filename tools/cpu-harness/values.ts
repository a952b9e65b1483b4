/** Values where instructions go wrong: around zero, around the sign bits, single bits, runs of ones, IEEE specials. */
import { below, next32, type RandomState } from "../../src/base/index.ts";

/** A 32-bit word, about half of them at an edge. */
export function edgeWord(random: RandomState): number {
  const draw = next32(random);
  const shape = draw & 15;
  const detail = draw >>> 4;
  if (shape < 7) return next32(random);
  if (shape < 9) return ((detail & 7) - 3) >>> 0;
  if (shape === 9) return (1 << (detail & 31)) >>> 0;
  if (shape === 10) return ((1 << (detail & 31)) - 1) >>> 0;
  if (shape === 11) return detail & 0xff;
  if (shape === 12) return (0x7fff_ffff + (detail & 3)) >>> 0;
  if (shape === 13) return (0x7fff + (detail & 3)) >>> 0;
  if (shape === 14) return (0x7f + (detail & 3)) >>> 0;
  return detail & 1 ? 0xffff_ffff : 0;
}

/** Eight bytes as two words of `words` at `index`: often a small number of either sign, or two edge words. */
export function putEdge64(random: RandomState, words: Uint32Array, index: number): void {
  const draw = next32(random) & 7;
  const low = edgeWord(random);
  words[index] = low;
  if (draw < 3) words[index + 1] = edgeWord(random);
  else if (draw < 5) words[index + 1] = low >> 31;
  else if (draw === 5) words[index + 1] = 0;
  else if (draw === 6) words[index + 1] = next32(random);
  else {
    const bit = next32(random) & 63;
    words[index] = bit < 32 ? 1 << bit : 0;
    words[index + 1] = bit < 32 ? 0 : 1 << (bit - 32);
  }
}

const single = [
  0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xffbf_ffff,
  1, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x4f00_0000, 0xcf00_0000, 0x5f00_0000, 0x3f00_0000, 0x4b00_0001,
]; // biome-ignore format: zeros, ones, infinities, NaNs, then denormals, extremes and integer limits
const doubleHigh = [
  0, 0x8000_0000, 0x3ff0_0000, 0xbff0_0000, 0x7ff0_0000, 0xfff0_0000, 0x7ff8_0000, 0xfff8_0000, 0x7ff0_0001, 0x000f_ffff,
  0x0010_0000, 0x7fef_ffff, 0x41e0_0000, 0xc1e0_0000, 0x43e0_0000, 0x3fe0_0000, 0x3810_0000, 0x47ef_ffff,
]; // biome-ignore format: as above, with the limits of single precision

/** Sixteen bytes at `index`: integers, singles or doubles, with many special ones. */
export function putEdge128(random: RandomState, words: Uint32Array, index: number): void {
  const draw = next32(random);
  const kind = draw & 7;
  for (let i = 0; i < 4; i++) {
    if (kind < 2) words[index + i] = next32(random);
    else if (kind === 2) words[index + i] = edgeWord(random);
    else if (kind < 5) words[index + i] = edgeSingle(random);
    else if (i % 2 === 0) putEdgeDouble(random, words, index + i);
  }
}

function edgeSingle(random: RandomState): number {
  const shape = below(random, 4);
  if (shape === 0) return single[below(random, single.length)]!;
  if (shape === 1) return next32(random);
  // A number of moderate size: the exponents near the middle, where sums and products stay finite.
  return ((next32(random) & 0x807f_ffff) | ((112 + below(random, 32)) << 23)) >>> 0;
}

function putEdgeDouble(random: RandomState, words: Uint32Array, index: number): void {
  const shape = below(random, 4);
  words[index] = shape === 0 ? (next32(random) & 1 ? 0 : edgeWord(random)) : next32(random);
  if (shape === 0) words[index + 1] = doubleHigh[below(random, doubleHigh.length)]!;
  else if (shape === 1) words[index + 1] = next32(random);
  else words[index + 1] = ((next32(random) & 0x800f_ffff) | ((1000 + below(random, 48)) << 20)) >>> 0;
}

/**
 * MXCSR: mostly with the default control bits, and now and then with others, unmasked exceptions among them. With all
 * status flags set there are none to keep, and compiled code goes its short way.
 */
export function drawMxcsr(random: RandomState): number {
  const shape = below(random, 8);
  if (shape > 3) return 0x1fbf;
  const mxcsr = next32(random) & 0xffff;
  if (shape > 1) return 0x1f80 | (mxcsr & (shape === 3 ? 0x3f : 0x20));
  return shape === 1 ? mxcsr : (mxcsr & 0xe07f) | 0x1f80;
}
