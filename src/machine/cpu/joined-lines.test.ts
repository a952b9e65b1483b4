/** Joined or not, the same bytes lie in the same places, and later lines win. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { joinedLines } from "./joined-lines.ts";

const seed = 20_261_118;

test(`pieces are the lines they were made of (seed ${seed})`, () => {
  const random = seedRandom(seed);
  let joined = 0;
  for (let round = 0; round < 200; round++) {
    let index = below(random, 50);
    const lines = Array.from({ length: below(random, 40) }, (_, at) => {
      index = below(random, 3) === 0 ? below(random, 50) : index + 1;
      return { path: below(random, 10) === 0 ? "/b" : "/a", index, bytes: new Uint8Array(64).fill(at) };
    });
    const laid = new Map<string, number>();
    for (const { path, offset, bytes } of joinedLines(lines)) {
      if (bytes.length > 64) joined++;
      for (const [at, byte] of bytes.entries()) laid.set(`${path} ${offset + at}`, byte);
    }
    const expected = new Map<string, number>();
    for (const { path, index, bytes } of lines)
      for (const [at, byte] of bytes.entries()) expected.set(`${path} ${index * 64 + at}`, byte);
    expect(laid).toEqual(expected);
  }
  expect(joined).toBeGreaterThan(100);
});
