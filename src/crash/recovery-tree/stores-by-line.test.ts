/** Stores as words in shared memory against the same stores as objects, on random ones of a few lines. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import type { LineStore } from "./stores-by-line.ts";
import { StoreRecorder, StoresByLine } from "./stores-by-line.ts";

const LINES = 5;
const word = 2 ** 32;

it("are the same stores, line by line and in order", () => {
  const random = seedRandom(Number(process.env.SEED ?? 1));
  const recorder = new StoreRecorder();
  const expected: LineStore[][] = Array.from({ length: LINES }, () => []);
  for (let seq = 2 ** 31 - 500; seq < 2 ** 31 + 500; seq++) {
    // The last line has no store.
    const line = below(random, LINES - 1);
    const store = {
      seq,
      thread: below(random, 8),
      site: below(random, word),
      stack: below(random, word),
      offset: below(random, 64),
      size: 1 + below(random, 8),
      low: below(random, word) | 0,
      high: below(random, word) | 0,
      further: below(random, 2) === 1,
    };
    const silent = below(random, 2) === 1;
    recorder.add(line, store, silent);
    expected[line]!.push({ store, silent });
  }
  const stores = new StoresByLine(recorder.table(LINES));
  expect(stores.lines).toBe(LINES);
  for (const [line, own] of expected.entries()) {
    expect([...stores.of(line)]).toEqual(own);
    expect([...stores.of(line, 2, 4)]).toEqual(own.slice(2, 4));
    expect(stores.count(line)).toBe(own.length);
    expect(own.map((_, index) => stores.seq(line, index))).toEqual(own.map(({ store }) => store.seq));
    expect([stores.seq(line, -1), stores.seq(line, own.length)]).toEqual([undefined, undefined]);
  }
});
