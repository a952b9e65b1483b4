/** The two models on random programs: complete outcome sets, every platform, no disagreement. */
import { expect, test } from "vitest";
import { fuzzModels } from "../../src/model/litmus/index.ts";

const SEED = 20_260_730;
const PROGRAMS = 3000;

test(`the models agree on ${PROGRAMS} random programs (seed ${SEED})`, () => {
  const report = fuzzModels(SEED, PROGRAMS);
  expect(report.disagreements, `seed ${SEED}`).toEqual([]);
  expect(report.compared).toBe(PROGRAMS);
  expect(report.skipped).toBeLessThan(PROGRAMS / 10);
});
