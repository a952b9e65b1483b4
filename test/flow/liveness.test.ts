/** Live registers: of random functions against a search along every way, and what calls and ends read by the ABI. */
import { expect, it } from "vitest";
import { below, type RandomState, seedRandom } from "../../src/base/index.ts";
import { type FlowBlock, type FunctionFlow, type LiveBy, liveAt } from "../../src/isa/control-flow/index.ts";
import { type Exit, gprs, type Op } from "../../src/isa/ir/index.ts";

const register = (name: string) => gprs.find((one) => one.name === name)!;
const get = (name: string): Op => ({ kind: "get", register: register(name) });
const put = (name: string): Op => ({ kind: "put", register: register(name), value: 0 as never });
const goto: Exit = { kind: "goto", target: 0 };

function flowOf(bodies: readonly { ops: readonly Op[]; next: readonly number[]; exit?: Exit }[]): FunctionFlow {
  const blocks = bodies.map(({ ops, next, exit = goto }, at): [number, FlowBlock] => [
    at,
    { block: { start: at, end: at + 1, instructions: 1, ops, exit }, successors: next },
  ]);
  return { entry: 0, blocks: new Map(blocks), roots: [0], unresolved: [] };
}

/** In the order of the machine. */
const names = ["rax", "rcx", "rbx"];
const namesAt = (flow: FunctionFlow, block: number, by: LiveBy) =>
  liveAt(flow, [block], by).flatMap(({ name }) => (names.includes(name) ? [name] : []));

/** Whether some way from a block reads the register before it is written. */
function isReadFirst(bodies: Parameters<typeof flowOf>[0], from: number, name: string): boolean {
  const seen = new Set<number>();
  const search = (at: number): boolean => {
    if (seen.has(at)) return false;
    seen.add(at);
    for (const op of bodies[at]!.ops)
      if ((op.kind === "get" || op.kind === "put") && op.register.name === name) return op.kind === "get";
    return bodies[at]!.next.some(search);
  };
  return search(from);
}

const randomOps = (random: RandomState): readonly Op[] =>
  Array.from({ length: below(random, 4) }, () => (below(random, 2) === 0 ? get : put)(names[below(random, 3)]!));

it("300 random functions (seed 1)", () => {
  const random = seedRandom(1);
  for (let turn = 0; turn < 300; turn++) {
    const size = 1 + below(random, 9);
    const bodies = Array.from({ length: size }, () => ({
      ops: randomOps(random),
      next: Array.from({ length: below(random, 3) }, () => below(random, size)),
    }));
    const flow = flowOf(bodies);
    for (const at of bodies.keys())
      expect(namesAt(flow, at, "sure"), `function ${turn}, block ${at}`).toEqual(
        names.filter((name) => isReadFirst(bodies, at, name)),
      );
  }
});

it("a call may read what is left in its argument registers, and overwrites them", () => {
  const call: Exit = { kind: "call", target: undefined, known: 9, returnTo: 1 };
  const flow = flowOf([
    { ops: [], next: [1], exit: call },
    { ops: [get("rbx"), get("rcx"), get("rax")], next: [] },
  ]);
  expect(namesAt(flow, 0, "sure")).toEqual(["rbx"]);
  expect(namesAt(flow, 0, "possible")).toEqual(["rax", "rcx", "rbx"]);
});

it("a return leaves its result, and its caller's registers to the caller", () => {
  const flow = flowOf([{ ops: [], next: [], exit: { kind: "return", target: 0 as never } }]);
  expect(namesAt(flow, 0, "sure")).toEqual(["rax"]);
  expect(namesAt(flow, 0, "possible")).toEqual(["rax", "rbx"]);
});
