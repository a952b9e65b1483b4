/** A fast digest of bytes (two 32-bit lanes of murmur3's mixing): for comparing states, not for secrets. */
export interface Digest {
  low: number;
  high: number;
}

export const newDigest = (): Digest => ({ low: 0x9747b28c, high: 0x85ebca6b });

const mix = (hash: number, word: number): number => {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const h = hash ^ Math.imul(k, 0x1b873593);
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
};

export function addWord(digest: Digest, word: number): void {
  digest.low = mix(digest.low, word);
  digest.high = mix(digest.high, word ^ digest.low);
}

export function addWords(digest: Digest, words: Uint32Array): void {
  let { low, high } = digest;
  for (let i = 0; i < words.length; i++) {
    low = mix(low, words[i]!);
    high = mix(high, words[i]! ^ low);
  }
  digest.low = low;
  digest.high = high;
}

export const digestText = ({ low, high }: Digest): string =>
  (low >>> 0).toString(16).padStart(8, "0") + (high >>> 0).toString(16).padStart(8, "0");
