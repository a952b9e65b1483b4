/** Contents as what each changes, against the bytes themselves: random lines, torn stores, and no more room than for two blocks. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { ContentLog } from "./content-log.ts";
import { ContentWords, headBits, wordsPerLine } from "./content-words.ts";

const lines = 7;
const seed = 52;

interface Expected {
  readonly words: Int32Array;
  readonly cut: readonly [kept: number, pieces: number];
}

/** Contents as they come, of several lines in turn, and by line what they must be. */
function recorded(count: number) {
  const random = seedRandom(seed);
  const log = new ContentLog();
  const expected: Expected[][] = Array.from({ length: lines }, () => []);
  const full: Int32Array[] = [];
  for (let i = 0; i < count; i++) {
    const line = i < lines ? i : below(random, lines);
    const isFirst = full[line] === undefined;
    const isTorn = !isFirst && below(random, 4) === 0;
    const before = full[line] ?? new Int32Array(wordsPerLine);
    const words = before.slice();
    // Sometimes nothing, sometimes everything, and numbers with every bit set.
    for (let left = below(random, isFirst ? 40 : 4); left > 0; left--)
      words[below(random, wordsPerLine)] = below(random, 3) - 1;
    const cut = [expected[line]!.length, isTorn ? 1 + below(random, 6) : 0] as const;
    log.add(line, ...cut, isFirst ? headBits.first : isTorn ? headBits.torn : 0, before, words);
    expected[line]!.push({ words, cut });
    if (!isTorn) full[line] = words;
  }
  return { packed: log.packed(lines), expected };
}

it.each([lines, 16, 17, 1000, 40_000])("%i contents are what they were", (count) => {
  const { packed, expected } = recorded(count);
  const contents = new ContentWords(packed.contents, count, 2);
  const all = expected.flat();
  let first = 0;
  const starts = expected.map((own) => (first += own.length));
  expect([...packed.starts]).toEqual([0, ...starts]);
  expect([...packed.cuts]).toEqual(all.flatMap(({ cut }) => cut));
  const random = seedRandom(seed);
  const asked = [...all.keys(), ...Array.from({ length: 500 }, () => below(random, count))];
  for (const content of asked) {
    const { words } = all[content]!;
    const word = below(random, wordsPerLine);
    expect([content, contents.word(content, word)]).toEqual([content, words[word]]);
    if (content % 97 !== 0) continue;
    expect(contents.words(content)).toEqual(words);
    expect(contents.bytes(content)).toEqual(new Uint8Array(words.buffer));
  }
});
