/** Which way is gone next. */
import { expect, it } from "vitest";
import type { Item } from "./walks.ts";
import { WaysAhead } from "./ways-ahead.ts";

const item = (lost: number, point: number): Item => ({ lost, round: { point } }) as Item;
const taken = (ahead: WaysAhead, onlyLikely = false): readonly string[] => {
  const all: string[] = [];
  for (let next = ahead.pop(onlyLikely); next !== undefined; next = ahead.pop(onlyLikely))
    all.push(`${next.lost} at ${next.round.point}`);
  return all;
};

it("one lost line at any point, then two by their points, then three", () => {
  const ahead = new WaysAhead();
  for (const [lost, point] of [
    [2, 1],
    [3, 0],
    [1, 2],
    [2, 0],
    [0, 3],
    [2, 2],
  ] as const)
    ahead.push(item(lost, point));
  expect(taken(ahead, true)).toEqual(["0 at 3", "1 at 2"]);
  expect(ahead.size).toBe(4);
  expect(taken(ahead)).toEqual(["2 at 0", "2 at 1", "2 at 2", "3 at 0"]);
});

it("a likelier way that comes late goes first", () => {
  const ahead = new WaysAhead();
  for (const lost of [2, 2, 3]) ahead.push(item(lost, 0));
  expect(ahead.pop(false)!.lost).toBe(2);
  ahead.push(item(1, 0));
  expect(taken(ahead)).toEqual(["1 at 0", "2 at 0", "3 at 0"]);
});

it("where too many wait, those that add the fewest go first", () => {
  const ahead = new WaysAhead(2);
  for (const lost of [2, 3, 4, 4]) ahead.push(item(lost, 0));
  expect([ahead.pop(true), ahead.pop(true)].map((way) => way?.lost)).toEqual([4, 4]);
  expect(ahead.pop(true)).toBeUndefined();
});
