/** What is known of values, compared with the values themselves on random calculations. */
import { expect, test } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { add, exact, merge, scale, subtract, unknown, type Value } from "../../src/program/symbols/names/values.ts";

const seed = Number(process.env.SEED ?? 1);

/** A value as a number, by what its unknowns are; which way was gone decides at a merge. */
interface Tracked {
  readonly known: Value;
  readonly real: number;
}

const frame = { kind: "frame" } as const;
const frameAt = 0x7fff_0000;

/** Whether the real number is one that is said to be possible. */
function isPossible({ known, real }: Tracked): boolean {
  if (known.base?.kind === "mixed") return true;
  const distance = real - (known.base === undefined ? 0 : frameAt) - known.offset;
  return known.stride === 0 ? distance === 0 : distance % known.stride === 0;
}

function random(state: RandomState, depth: number, unknowns: readonly Tracked[]): Tracked {
  const inner = () => random(state, depth - 1, unknowns);
  const leaf = (): Tracked => {
    const constant = below(state, 64) - 32;
    const choices = [
      ...unknowns,
      { known: exact(undefined, constant), real: constant },
      { known: exact(frame, constant), real: frameAt + constant },
    ];
    return pick(state, choices);
  };
  if (depth === 0) return leaf();
  const [a, b] = [inner(), inner()];
  const factor = pick(state, [1, 2, 3, 8, 24]);
  return pick(state, [
    { known: add(a.known, b.known), real: a.real + b.real },
    { known: subtract(a.known, b.known), real: a.real - b.real },
    { known: scale(a.known, factor), real: a.real * factor },
    { known: merge(a.known, b.known), real: pick(state, [a, b]).real },
  ]);
}

test(`every value is among those it is said to be (seed ${seed})`, () => {
  const state = seedRandom(seed);
  let exactOnes = 0;
  let strided = 0;
  for (let round = 0; round < 20_000; round++) {
    const unknowns = [1, 2, 3].map((symbol) => ({ known: unknown(symbol), real: below(state, 1000) - 500 }));
    const tracked = random(state, 1 + below(state, 4), unknowns);
    if (!isPossible(tracked)) throw new Error(`round ${round}: ${JSON.stringify(tracked)}`);
    if (tracked.known.stride === 0) exactOnes++;
    else if (Math.abs(tracked.known.stride) > 1) strided++;
  }
  expect(exactOnes).toBeGreaterThan(500);
  expect(strided).toBeGreaterThan(500);
});

test("multiples of one unknown add up, those of two have a common divisor", () => {
  const [x, y] = [unknown(1), unknown(2)];
  expect(scale(add(x, scale(x, 2)), 8)).toMatchObject({ offset: 0, stride: 24 });
  expect(add(scale(x, 24), scale(y, 16))).toMatchObject({ stride: 8 });
  expect(subtract(scale(x, 8), x)).toMatchObject({ stride: 7 });
  expect(subtract(x, x)).toMatchObject({ offset: 0, stride: 0 });
});

test("merging comes to rest", () => {
  const state = seedRandom(seed);
  for (let round = 0; round < 100; round++) {
    let known = random(state, 2, []).known;
    let changes = 0;
    for (let step = 0; step < 200; step++) {
      const merged = merge(known, random(state, 2, []).known);
      if (merged !== known) changes++;
      known = merged;
    }
    expect(changes).toBeLessThan(20);
  }
});
