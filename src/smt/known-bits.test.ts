/** Known bits against what terms are worth: for every operator, on operands of which some bits are known. */
import { expect, test } from "vitest";
import { below, next32, pick, seedRandom } from "../base/index.ts";
import { type Arithmetic, arithmetic, comparisons, evaluateTerm, type Term, Terms } from "./index.ts";

const seed = Number(process.env.SEED ?? 0);

/** A term of eight bits over two variables, some of its bits fixed on the way. */
function drawTerm(t: Terms, random: ReturnType<typeof seedRandom>, depth: number): Term {
  const leaf = () =>
    below(random, 3) === 0 ? t.constant(8, BigInt(next32(random) & 0xff)) : t.variable(8, pick(random, ["x", "y"]));
  if (depth === 0) return leaf();
  const inner = () => drawTerm(t, random, below(random, depth));
  const [low, width] = [below(random, 4), 1 + below(random, 4)];
  const condition = () =>
    t.compare(pick(random, Object.keys(comparisons) as (keyof typeof comparisons)[]), inner(), inner());
  const made = [
    () => t.compute(pick(random, Object.keys(arithmetic) as Arithmetic[]), inner(), inner()),
    () => t.compute(pick(random, ["bitAnd", "bitOr", "add"]), inner(), t.constant(8, BigInt(next32(random) & 0xff))),
    () => t.compute(pick(random, ["shiftLeft", "shiftRight"]), inner(), t.constant(8, BigInt(below(random, 9)))),
    () => t.extend(t.extract(inner(), low, width), 8, pick(random, ["extend", "extendSigned"])),
    () => t.concat(t.extract(inner(), low, 4), t.extract(inner(), 4, 4)),
    () => t.choose(condition(), inner(), inner()),
    () => t.extend(t.bit(condition(), 1), 8),
  ];
  return pick(random, made)();
}

test("what is known of a term's bits is so whatever its variables are worth", () => {
  const random = seedRandom(seed);
  let known = 0;
  for (let i = 0; i < 3000; i++) {
    const t = new Terms();
    const term = drawTerm(t, random, 4);
    const { zeros, ones } = t.bitsOf(term);
    if (term.op !== "constant" && (zeros | ones) !== 0n) known++;
    for (let round = 0; round < 12; round++) {
      const values: Record<string, bigint> = { x: BigInt(next32(random) & 0xff), y: BigInt(next32(random) & 0xff) };
      const worth = evaluateTerm(term, ({ name }) => values[name]!);
      expect([worth & zeros, worth & ones], `term ${i}, seed ${seed}`).toEqual([0n, ones]);
    }
  }
  expect(known).toBeGreaterThan(300);
});

test("comparisons that known bits decide are decided when they are made", () => {
  const t = new Terms();
  const x = t.variable(8, "x");
  const small = t.compute("bitAnd", x, t.constant(8, 0x0fn));
  const odd = t.compute("bitOr", x, t.constant(8, 1n));
  const number = (value: bigint) => t.constant(8, value);
  expect(t.equal(odd, number(4n))).toBe(t.false);
  expect(t.compare("below", small, number(16n))).toBe(t.true);
  expect(t.compare("below", number(15n), small)).toBe(t.false);
  expect(t.compute("bitAnd", small, number(0xf0n))).toBe(number(0n));
  const wide = t.extend(x, 32);
  expect(t.equal(wide, t.constant(32, 7n))).toBe(t.equal(x, number(7n)));
  expect(t.equal(wide, t.constant(32, 0x107n))).toBe(t.false);
});
