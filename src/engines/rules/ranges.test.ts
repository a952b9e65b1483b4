/** Ranges in pieces, against a byte for every address. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { RangeMap } from "./ranges.ts";

it("are what an array of bytes says", () => {
  const random = seedRandom(30);
  const size = 4096;
  const ranges = new RangeMap<number>();
  const bytes: (number | undefined)[] = new Array(size).fill(undefined);
  for (let round = 1; round < 6000; round++) {
    const start = below(random, size);
    const end = Math.min(size, start + 1 + below(random, round % 7 === 0 ? 300 : 3));
    const slice = bytes.slice(start, end);
    expect(ranges.covers(start, end)).toBe(!slice.includes(undefined));
    expect(ranges.at(start)?.data).toBe(bytes[start]);
    expect(ranges.overlap(start, end)?.data).toBe(slice.find((data) => data !== undefined));
    if (below(random, 3) === 0) {
      ranges.remove(start, end);
      bytes.fill(undefined, start, end);
    } else {
      ranges.add(start, end, round);
      for (let at = start; at < end; at++) bytes[at] ??= round;
    }
    if (round % 500 !== 0) continue;
    const listed: (number | undefined)[] = new Array(size).fill(undefined);
    let last = 0;
    for (const range of ranges) {
      expect(range.start).toBeGreaterThanOrEqual(last);
      listed.fill(range.data, range.start, range.end);
      last = range.end;
    }
    expect(listed).toEqual(bytes);
  }
  ranges.clear();
  expect(ranges.isEmpty).toBe(true);
});
