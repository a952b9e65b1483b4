/** Ranges in pieces, against a byte for every address. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { RangeMap } from "./ranges.ts";

function gapOf(bytes: readonly unknown[], address: number) {
  if (bytes[address] !== undefined) return undefined;
  const before = bytes.findLastIndex((data, at) => at < address && data !== undefined);
  const next = bytes.findIndex((data, at) => at > address && data !== undefined);
  return { start: before + 1, end: next < 0 ? 2 ** 32 : next };
}

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
    const whole = ranges.at(start);
    expect(ranges.holding(start, end)).toBe(whole !== undefined && whole.end >= end ? whole : undefined);
    expect(ranges.gapAt(start)).toEqual(gapOf(bytes, start));
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
