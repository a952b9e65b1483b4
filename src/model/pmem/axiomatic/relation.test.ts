/** Relations against the plainest possible reading of their definitions, on random ones. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../../base/index.ts";
import { addPair, closureOf, emptyRelation, hasPair, isAcyclic, pairsOf, shortestCycle } from "./relation.ts";

const SEED = 77;

test(`closure, acyclicity and cycles of random relations (seed ${SEED})`, () => {
  const random = seedRandom(SEED);
  let cyclic = 0;
  for (let round = 0; round < 300; round++) {
    const size = 2 + below(random, 40);
    const relation = emptyRelation(size);
    for (let pair = below(random, 2 * size); pair > 0; pair--)
      addPair(relation, below(random, size), below(random, size));
    const reach = (from: number): Set<number> => {
      const seen = new Set<number>();
      const queue = [from];
      for (const at of queue)
        for (const [a, b] of pairsOf(relation)) if (a === at && !seen.has(b)) queue.push(b) && seen.add(b);
      return seen;
    };
    const closed = closureOf(relation);
    let hasCycle = false;
    for (let from = 0; from < size; from++) {
      const reached = reach(from);
      if (reached.has(from)) hasCycle = true;
      for (let to = 0; to < size; to++) expect(hasPair(closed, from, to)).toBe(reached.has(to));
    }
    expect(isAcyclic(relation)).toBe(!hasCycle);
    const cycle = shortestCycle(relation);
    expect(cycle !== undefined).toBe(hasCycle);
    cycle?.forEach((event, index) => {
      expect(hasPair(relation, event, cycle[(index + 1) % cycle.length] as number)).toBe(true);
    });
    if (hasCycle) cyclic++;
  }
  expect(cyclic).toBeGreaterThan(50);
  expect(cyclic).toBeLessThan(290);
});

test("the shortest cycle is found", () => {
  const relation = emptyRelation(6);
  for (const [from, to] of [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [3, 2],
    [4, 5],
  ] as const)
    addPair(relation, from, to);
  expect(shortestCycle(relation)).toEqual([2, 3]);
});
