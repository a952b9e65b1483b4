import { expect, test } from "vitest";
import { next64, pick, seedRandom } from "../../base/index.ts";
import { NumberAlgebra } from "../../isa/ir/index.ts";
import { type NumericName, numeric } from "../../isa/wasm/index.ts";
import { quickOperations } from "./quick-operations.ts";

const seed = Number(process.env.SEED ?? 0);

test("quick operations are WebAssembly's", () => {
  const random = seedRandom(seed);
  const numbers = new NumberAlgebra();
  const edges = [0n, 1n, 0x7fn, 0x80n, 0xffn, 0x8000n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffff_ffff_ffffn, 1n << 63n];
  const names = Object.keys(quickOperations) as NumericName[];
  expect(names.length).toBeGreaterThan(40);
  for (const name of names)
    for (let i = 0; i < 40; i++) {
      const draw = () => (i % 2 === 0 ? pick(random, edges) : next64(random));
      const args = numeric[name].params.map((type) => BigInt.asUintN(type === "i32" ? 32 : 64, draw()));
      const about = `${name} of ${args}, seed ${seed}`;
      expect(quickOperations[name]!(args[0]!, args[1] ?? 0n), about).toBe(numbers.numeric(name, args));
    }
});
