/** Events of a statement become what it stores each time. */
import { expect, it } from "vitest";
import { isWord, rangesEachTime, type StoreEvent } from "./stored-ranges.ts";

const stored = (events: readonly (readonly [seq: number, site: number, address: number, size: number])[]) =>
  events.map(([seq, site, address, size]) => ({ kind: "store", seq, site, address, size })) as unknown as StoreEvent[];

it("a copy's stores follow each other", () => {
  const copied = stored([
    [1, 7, 0, 16],
    [2, 8, 16, 16],
    [3, 9, 32, 4],
    [9, 7, 640, 16],
    [10, 8, 656, 16],
  ]);
  expect(rangesEachTime(copied, false)).toEqual([
    { first: 0, end: 36 },
    { first: 640, end: 672 },
  ]);
});

it("turns of a loop are times of their own", () => {
  const turns = stored([
    [1, 7, 0, 8],
    [2, 7, 8, 8],
    [3, 7, 64, 8],
  ]);
  expect(rangesEachTime(turns, true)).toHaveLength(3);
  expect(rangesEachTime(turns, true).every(isWord)).toBe(true);
  expect(rangesEachTime(turns, false)).toEqual([{ first: 0, end: 72 }]);
});
