/** Digests of lines that add up: the digest of a crash state changes by what its changed lines were and are. */
import { addWord, addWords, newDigest } from "../base/index.ts";

export interface LineDigest {
  readonly low: number;
  readonly high: number;
}

export const noDigest: LineDigest = { low: 0, high: 0 };

export function digestLine(key: number, contents: Uint8Array): LineDigest {
  const digest = newDigest();
  addWord(digest, Math.floor(key / 2 ** 32));
  addWord(digest, key | 0);
  addWords(digest, new Uint32Array(contents.buffer, contents.byteOffset, contents.length / 4));
  return digest;
}

/** A sum in which one line's digest takes the place of another's. */
export const plus = (sum: LineDigest, now: LineDigest, before: LineDigest): LineDigest => ({
  low: (sum.low + now.low - before.low) | 0,
  high: (sum.high + now.high - before.high) | 0,
});
