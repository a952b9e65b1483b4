/** The reference set in both models: every verdict, every outcome. */
import { describe, expect, test } from "vitest";
import {
  crashSets,
  defaultOptions,
  expectedVerdict,
  judge,
  optionsFor,
  runPhases,
} from "../../src/model/litmus/index.ts";
import { referenceGolden, referenceTests } from "./own-tests.ts";

describe.each(["operational", "axiomatic"] as const)("reference set, %s model", (model) => {
  test.each(referenceTests.map((each) => [each.name, each] as const))("%s", (name, litmus) => {
    expect(crashSets(litmus, model, defaultOptions)[0]).toEqual(referenceGolden[name]);
    for (const options of [optionsFor("px86", "fence"), optionsFor("eadr", "fence"), optionsFor("px86", "load")]) {
      const phases = runPhases(litmus, model, options);
      for (const check of litmus.checks) {
        const expected = expectedVerdict(check, options);
        if (expected !== undefined) expect(judge(check, phases), check.why).toBe(expected);
      }
    }
  });
});

test("every test of the set has its outcomes, and there are enough", () => {
  expect(referenceTests.length).toBeGreaterThanOrEqual(70);
  expect(new Set(referenceTests.map(({ name }) => name))).toEqual(new Set(Object.keys(referenceGolden)));
});
