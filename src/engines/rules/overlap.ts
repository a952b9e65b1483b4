/** Bytes within a slot of eight: whether a store changes them, and how several stores add up. */
import { slotHigh, slotLow } from "./lines.ts";

/** A record's value is that of its lowest byte first; in a slot it lies at the store's offset. */
const shiftedLow = (low: number, bits: number): number => (bits < 32 ? (low << bits) >>> 0 : 0);
const shiftedHigh = (low: number, high: number, bits: number): number => {
  if (bits === 0) return high;
  if (bits < 32) return ((high << bits) | (low >>> (32 - bits))) >>> 0;
  return (low << (bits - 32)) >>> 0;
};

/** Four bits of a byte mask as a mask of 32 bits. */
const wideMasks = Uint32Array.from({ length: 16 }, (_, nibble) =>
  [0, 1, 2, 3].reduce((mask, byte) => ((nibble >>> byte) & 1 ? (mask | (0xff << (8 * byte))) >>> 0 : mask), 0),
);

/** Whether the bytes in `mask` get another value, and the earlier value is more than zeros (a mere initialisation). */
export function overlapDiffers(
  known: Uint32Array,
  slot: number,
  words: Uint32Array,
  at: number,
  mask: number,
): boolean {
  const bits = (words[at + 2]! & 7) << 3;
  const lowMask = wideMasks[mask & 15]!;
  const highMask = wideMasks[mask >>> 4]!;
  const low = known[slot + slotLow]! & lowMask;
  const high = known[slot + slotHigh]! & highMask;
  if (low === 0 && high === 0) return false;
  const newLow = shiftedLow(words[at + 4]!, bits) & lowMask;
  const newHigh = shiftedHigh(words[at + 4]!, words[at + 5]!, bits) & highMask;
  return low !== newLow || high !== newHigh;
}

/** Puts a store's bytes at their place in the slot, next to those of earlier stores. */
export function placeValue(known: Uint32Array, slot: number, words: Uint32Array, at: number, mask: number): void {
  const bits = (words[at + 2]! & 7) << 3;
  const lowMask = wideMasks[mask & 15]!;
  const highMask = wideMasks[mask >>> 4]!;
  const low = shiftedLow(words[at + 4]!, bits) & lowMask;
  const high = shiftedHigh(words[at + 4]!, words[at + 5]!, bits) & highMask;
  known[slot + slotLow] = (known[slot + slotLow]! & ~lowMask) | low;
  known[slot + slotHigh] = (known[slot + slotHigh]! & ~highMask) | high;
}
