/** Loops entered at several nodes get one entry by copies, and every path through the graph stays a path. */
import { expect, test } from "vitest";
import { below, type RandomState, seedRandom } from "../../base/index.ts";
import type { Block } from "../../isa/ir/index.ts";
import { findIrreducible } from "./graph.ts";
import type { Region, RegionNode } from "./region.ts";
import { splitIrreducible } from "./split.ts";

const blockAt = (start: number, instructions: number): Block => ({
  start,
  end: start + 1,
  instructions,
  ops: [],
  exit: { kind: "goto", target: 0 },
});

const regionOf = (successors: readonly (readonly number[])[], instructions = 1): Region => ({
  entry: 0,
  isHub: false,
  entries: [],
  nodes: successors.map(
    (list, start): RegionNode => ({
      block: blockAt(start, instructions),
      inlined: false,
      executions: 1,
      ways: list.map((node) => ({ address: node, node })),
    }),
  ),
});

const successorsOf = ({ nodes }: Region): number[][] => nodes.map(({ ways }) => ways.map(({ node }) => node!));

test("a loop of four entered at two nodes is peeled once, not again and again", () => {
  const split = splitIrreducible(regionOf([[1, 3], [2], [3], [4], [1]]));
  expect(findIrreducible(successorsOf(split))).toBeUndefined();
  expect(split.nodes.length).toBe(7);
});

test("what would take too many copies stays, and other loops are still split", () => {
  const large = regionOf([[1, 2, 4], [2], [1], [4, 5], [5, 3], [3]], 150);
  const nodes = large.nodes.map((node, i) => (i < 3 ? node : { ...node, block: blockAt(i, 20) }));
  const split = splitIrreducible({ ...large, nodes: nodes.with(1, { ...nodes[1]!, block: blockAt(1, 300) }) });
  expect(split.nodes.length).toBeGreaterThan(large.nodes.length);
});

function randomRegion(random: RandomState): Region {
  const count = 3 + below(random, 9);
  const any = () => below(random, count);
  return regionOf(Array.from({ length: count }, (_, node) => [Math.min(node + 1, count - 1), any(), any()]));
}

function walk({ nodes }: Region, steps: readonly number[]): number[] {
  let at = 0;
  return steps.map((way) => {
    at = nodes[at]!.ways[way]!.node!;
    return nodes[at]!.block.start;
  });
}

test("random walks meet the same blocks as before", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = seedRandom(seed);
    const region = randomRegion(random);
    const split = splitIrreducible(region);
    const steps = Array.from({ length: 200 }, () => below(random, 3));
    expect(walk(split, steps), `seed ${seed}`).toEqual(walk(region, steps));
  }
});
