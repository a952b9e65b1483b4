/** Random control-flow graphs, irreducible ones included, run as structured code along the same path as a plain walk. */
import { expect, test } from "vitest";
import { below, next32, type RandomState, seedRandom } from "../../base/index.ts";
import { Code, ModuleBuilder } from "../../isa/wasm/index.ts";
import { orderGraph } from "./graph.ts";
import { writeStructured } from "./structure.ts";

const steps = 300;

/** Up to three successors each, every node reachable: node n > 0 hangs on an earlier one. */
function randomGraph(random: RandomState): number[][] {
  const count = 1 + below(random, 12);
  const successors: number[][] = Array.from({ length: count }, () => []);
  for (let node = 1; node < count; node++) {
    const open = [...successors.keys()].filter((other) => other < node && successors[other]!.length < 3);
    successors[open[below(random, open.length)]!]!.push(node);
  }
  for (const list of successors) while (list.length < 3 && below(random, 3) > 0) list.push(below(random, count));
  return successors;
}

/** The path is steered by a little generator that both sides step the same way. */
const steer = (state: number): number => (Math.imul(state, 1_103_515_245) + 12_345) | 0;
const choose = (state: number, ways: number): number => (state >>> 16) % ways;

function walk(successors: readonly number[][], seed: number): number[] {
  const path: number[] = [];
  let state = seed;
  for (let node = 0; path.length < steps; ) {
    path.push(node);
    const ways = successors[node]!;
    if (ways.length === 0) break;
    state = steer(state);
    node = ways[choose(state, ways.length)]!;
  }
  return path;
}

function runStructured(successors: readonly number[][], seed: number): number[] {
  const path: number[] = [];
  const module = new ModuleBuilder();
  const visit = module.importFunction("test", "visit", { params: ["i32"], results: ["i32"] });
  const c = new Code(["i32"]);
  writeStructured(c, orderGraph(successors), (node, branches) => {
    c.i32(node).call(visit).if_();
    c.return_();
    c.end();
    const ways = successors[node]!.length;
    if (ways === 0) return void c.return_();
    c.get(0).i32(1_103_515_245).op("i32.mul").i32(12_345).op("i32.add").set(0);
    for (let way = 0; way < ways; way++) {
      c.get(0).i32(16).op("i32.shr_u").i32(ways).op("i32.rem_u").i32(way).op("i32.eq");
      const label = branches.labelOf(way);
      if (label !== undefined) {
        c.brIf(label);
        continue;
      }
      c.if_();
      branches.take(way);
      c.end();
    }
    c.unreachable();
  });
  c.unreachable();
  module.exportFunction("run", module.function({ params: ["i32"], results: [] }, c));
  const stopAfter = (node: number) => (path.push(node) >= steps ? 1 : 0);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module.build()), { test: { visit: stopAfter } });
  (instance.exports.run as (seed: number) => void)(seed);
  return path;
}

test("structured code takes the same path as the graph", () => {
  const random = seedRandom(20);
  let irreducible = 0;
  for (let round = 0; round < 400; round++) {
    const successors = randomGraph(random);
    const { edges, firstDispatch } = orderGraph(successors);
    if (edges.length > firstDispatch) irreducible++;
    const seed = next32(random) | 0;
    expect(runStructured(successors, seed), JSON.stringify({ round, successors })).toEqual(walk(successors, seed));
  }
  expect(irreducible).toBeGreaterThan(50);
});
