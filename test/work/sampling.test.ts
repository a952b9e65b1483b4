/** Numbers that are spread over the whole before they are complete. */
import { expect, it } from "vitest";
import { RangeQueue, Sampling } from "../../src/session/work/index.ts";

it.each([0, 1, 5, 63, 64, 65, 1000])("%i numbers come once each, the first of them spread out", (count) => {
  const sampling = new Sampling(count);
  const numbers: number[] = [];
  for (let next = sampling.next(); next !== undefined; next = sampling.next()) numbers.push(next);
  expect(numbers.toSorted((a, b) => a - b)).toEqual([...Array(count).keys()]);
  const early = numbers.slice(0, Math.ceil(count / 32));
  expect(Math.max(-1, ...early)).toBeGreaterThanOrEqual(count - 64 * 2);
});

it("a range that was taken out of turn is not handed out again", () => {
  const queue = new RangeQueue(10);
  expect(queue.take({ from: 4, to: 6 })).toBe(true);
  expect(queue.take({ from: 5, to: 8 })).toBe(false);
  expect([queue.next(100), queue.next(100), queue.next(100)]).toEqual([
    { from: 0, to: 4 },
    { from: 6, to: 10 },
    undefined,
  ]);
});
