/** Addresses of one set push each other out only when there are three of them. */
import { expect, test } from "vitest";
import { createMemory } from "../../base/index.ts";
import { Code, ModuleBuilder } from "../../isa/wasm/index.ts";
import { emitFindBlock, forgetAll, remember } from "./dispatch.ts";
import { memoryPages64K } from "./layout.ts";

function cache() {
  const memory = createMemory(memoryPages64K);
  const module = new ModuleBuilder();
  module.importMemory("test", "memory", memoryPages64K);
  const c = new Code(["i32"]);
  const set = c.local("i32");
  const miss = c.block();
  emitFindBlock(c, 0, set, miss);
  c.return_();
  c.end();
  c.i32(-1);
  module.exportFunction("find", module.function({ params: ["i32"], results: ["i32"] }, c));
  const instance = new WebAssembly.Instance(new WebAssembly.Module(module.build()), { test: { memory } });
  return {
    find: instance.exports.find as (rip: number) => number,
    remember: (rip: number, block: number) => remember(new DataView(memory.buffer), rip, block),
    forgetAll: () => forgetAll(new Uint8Array(memory.buffer)),
  };
}

/** In the same set: equal below bit 15 once the bits from 13 on are folded in. */
const [a, b, c] = [0x40_0123, 0x40_0123 ^ 0x1000_8000 ^ 0x4, 0x40_0123 ^ 0x2001_0000 ^ 0x8];

test("two of one set are both found, a third pushes the older out", () => {
  const cached = cache();
  const others = [a, b, c].map((rip) => (rip ^ (rip >>> 13)) & 0x7fff);
  expect(new Set(others).size).toBe(1);
  expect(cached.find(a)).toBe(-1);
  cached.remember(a, 100);
  cached.remember(b, 200);
  expect([a, b].map(cached.find)).toEqual([100, 200]);
  cached.remember(c, 300);
  expect([a, b, c].map(cached.find)).toEqual([-1, 200, 300]);
  cached.remember(c, 400);
  expect([b, c].map(cached.find)).toEqual([200, 400]);
  cached.forgetAll();
  expect([a, b, c].map(cached.find)).toEqual([-1, -1, -1]);
});
