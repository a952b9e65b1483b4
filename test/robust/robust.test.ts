/** Clocks and intervals against the definition, on random executions of one to three threads with one or two crashes. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { isRobust } from "./definition.ts";
import { randomExecutions } from "./executions.ts";
import { judge, mutants } from "./judged.ts";

const PROGRAMS = Number(process.env.ROBUST_PROGRAMS ?? 1000);
const first = Number(process.env.SEED ?? 1);

function shapeOf(seed: number) {
  const random = seedRandom(seed);
  const threads = 1 + below(random, 3);
  const crashes = 1 + below(random, 2);
  const steps = 5 + below(random, [14, 9, 8][threads - 1]!);
  return randomExecutions(random, { threads, crashes, steps });
}

it(`agree on ${PROGRAMS} executions from seed ${first} on; every mutant disagrees somewhere`, () => {
  const alive = new Set(Object.keys(mutants));
  let violating = 0;
  for (let seed = first; seed < first + PROGRAMS; seed++) {
    const executions = shapeOf(seed);
    const expected = isRobust(executions);
    if (!expected) violating++;
    expect({ seed, robust: judge(executions) }).toEqual({ seed, robust: expected });
    for (const name of alive) if (judge(executions, mutants[name]) !== expected) alive.delete(name);
  }
  expect([...alive]).toEqual([]);
  // Neither answer is so rare that agreeing on it would be luck.
  expect(violating).toBeGreaterThan(PROGRAMS / 10);
  expect(violating).toBeLessThan((9 * PROGRAMS) / 10);
});
