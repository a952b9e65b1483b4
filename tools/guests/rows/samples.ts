/** Input for the programs: made here, the same every time. */
import { below, seedRandom } from "../../../src/base/index.ts";

const words = "power store flush fence line crash recover persist memory cache order write read drain commit log".split(
  " ",
);

/** Lines of words and numbers. */
export function sampleText(lines: number, seed = 1): string {
  const random = seedRandom(seed);
  let text = "";
  for (let line = 0; line < lines; line++) {
    const count = 1 + below(random, 8);
    const parts = Array.from({ length: count }, () => words[below(random, words.length)]);
    text += `${line} ${parts.join(" ")} ${below(random, 100_000)}\n`;
  }
  return text;
}

/** Bytes that do not compress. */
export function sampleBytes(size: number, seed = 2): Uint8Array {
  const random = seedRandom(seed);
  return Uint8Array.from({ length: size }, () => below(random, 256));
}
