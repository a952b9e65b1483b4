/** Loops around a block: of random graphs against reachability by Warshall's matrix, and nested ones by hand. */
import { expect, it } from "vitest";
import { below, type RandomState, seedRandom } from "../../src/base/index.ts";
import { type FlowBlock, type FunctionFlow, loopsAround } from "../../src/isa/control-flow/index.ts";

/** Blocks of one byte, by their successors; the first is the entry. */
function flowOf(successors: readonly (readonly number[])[]): FunctionFlow {
  const blocks = successors.map((next, at) => {
    const block = { start: at, end: at + 1 } as FlowBlock["block"];
    return [at, { block, successors: next }] as const;
  });
  return { entry: 0, blocks: new Map(blocks), roots: [0], unresolved: [] };
}

/** Which blocks lead to which, by one step or more. */
function closureOf(successors: readonly (readonly number[])[]): readonly (readonly boolean[])[] {
  const leads = successors.map((next) => successors.map((_one, to) => next.includes(to)));
  for (const [via] of successors.entries())
    for (const [from] of successors.entries())
      for (const [to] of successors.entries()) if (leads[from]![via] && leads[via]![to]) leads[from]![to] = true;
  return leads;
}

const randomGraph = (random: RandomState, size: number): readonly (readonly number[])[] =>
  Array.from({ length: size }, () => [...new Set(Array.from({ length: below(random, 3) }, () => below(random, size)))]);

it("the outermost is what leads to and from a block: 300 random graphs (seed 1)", () => {
  const random = seedRandom(1);
  for (let turn = 0; turn < 300; turn++) {
    const graph = randomGraph(random, 1 + below(random, 9));
    const leads = closureOf(graph);
    for (const [at] of graph.entries()) {
      const expected = graph.flatMap((_next, other) => (leads[at]![other] && leads[other]![at] ? [other] : []));
      const loops = loopsAround(flowOf(graph), at);
      expect([...(loops.at(-1)?.blocks ?? [])].toSorted((a, b) => a - b)).toEqual(expected);
      for (const { blocks, exits } of loops) {
        expect(blocks.has(at)).toBe(true);
        const left = [...blocks].flatMap((block) => graph[block]!).filter((block) => !blocks.has(block));
        expect(new Set(exits)).toEqual(new Set(left));
      }
    }
  }
});

it("inner loops come first, each with where it is left to", () => {
  // for (1) { for (2) 3; 4; } 5
  const nested = flowOf([[1], [2, 5], [3, 4], [2], [1], []]);
  const loops = loopsAround(nested, 3).map(({ blocks, exits }) => [[...blocks].toSorted((a, b) => a - b), exits]);
  expect(loops).toEqual([
    [[2, 3], [4]],
    [[1, 2, 3, 4], [5]],
  ]);
  expect(loopsAround(nested, 4)).toHaveLength(1);
  expect(loopsAround(nested, 5)).toEqual([]);
});
