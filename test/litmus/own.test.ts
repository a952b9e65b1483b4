/**
 * Every litmus test of ours in both models: hand-written verdicts, and the complete sets of crash states against
 * golden/outcomes.json (UPDATE=1 rewrites it; review the difference). The slow twins must give the same sets.
 */
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  compareEngines,
  crashSets,
  defaultOptions,
  type EngineName,
  expectedVerdict,
  judge,
  optionsFor,
  runPhases,
} from "../../src/model/litmus/index.ts";
import { goldenPath, herdTests, jsonTests, ownGolden, ownTests } from "./own-tests.ts";

const models: readonly EngineName[] = ["operational", "axiomatic"];

if (process.env.UPDATE === "1") {
  const sets = ownTests.map((each) => [each.name, crashSets(each, "axiomatic", defaultOptions)] as const);
  writeFileSync(goldenPath, `${JSON.stringify(Object.fromEntries(sets), undefined, 1)}\n`);
}
const golden = ownGolden();

test("there are enough tests, and no two share a name", () => {
  expect(jsonTests.length).toBeGreaterThanOrEqual(60);
  expect(herdTests.length).toBeGreaterThanOrEqual(10);
  expect(new Set(ownTests.map(({ name }) => name)).size).toBe(ownTests.length);
  expect(Object.keys(golden).length).toBe(ownTests.length);
});

const settings = [optionsFor("px86", "fence"), optionsFor("eadr", "fence"), optionsFor("px86", "load")];

describe.each(ownTests.map((each) => [each.name, each] as const))("%s", (name, litmus) => {
  test.each(models)("%s: complete outcomes", (model) => {
    expect(crashSets(litmus, model, defaultOptions)).toEqual(golden[name]);
  });

  test.each(models)("%s: verdicts as written", (model) => {
    for (const options of settings) {
      const phases = runPhases(litmus, model, options);
      for (const check of litmus.checks) {
        const expected = expectedVerdict(check, options);
        if (expected !== undefined) expect(judge(check, phases), check.why).toBe(expected);
      }
    }
  });

  test("the slow twins agree, on every platform", () => {
    expect(compareEngines(litmus, ["operational", "operational-unreduced"], defaultOptions)).toBeUndefined();
    expect(compareEngines(litmus, ["axiomatic", "axiomatic-partial"], defaultOptions)).toBeUndefined();
    expect(compareEngines(litmus, ["operational", "axiomatic"], optionsFor("strict", "load"))).toBeUndefined();
  });
});
