/** The reference litmus set and herd's catalogue, where they are at hand: both models, every verdict, every outcome. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  crashSets,
  defaultOptions,
  expectedVerdict,
  judge,
  type LitmusTest,
  optionsFor,
  parseTests,
  runPhases,
} from "../../src/litmus/index.ts";
import { sharedFolder, sharedGolden, sharedTests } from "./own-tests.ts";

const folder = sharedFolder;
const reference = sharedTests;
const present = reference.length > 0;
const models = ["operational", "axiomatic"] as const;
const read = (path: string): LitmusTest[] => parseTests({ file: path, text: readFileSync(path, "utf8") });

const golden = sharedGolden();

describe.skipIf(!present).each(models)("reference set, %s model", (model) => {
  test.each(reference.map((each) => [each.name, each] as const))("%s", (name, litmus) => {
    expect(crashSets(litmus, model, defaultOptions)[0]).toEqual(golden[name]);
    for (const options of [optionsFor("px86", "fence"), optionsFor("eadr", "fence"), optionsFor("px86", "load")]) {
      const phases = runPhases(litmus, model, options);
      for (const check of litmus.checks) {
        const expected = expectedVerdict(check, options);
        if (expected !== undefined) expect(judge(check, phases), check.why).toBe(expected);
      }
    }
  });
});

const herd = join(folder, "herdtools7-x86_64");
const kinds = new Map(
  (present ? readFileSync(join(herd, "kinds.txt"), "utf8") : "")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length === 2) as [string, string][],
);

describe.skipIf(!present).each(models)("herd's x86-64 catalogue, %s model", (model) => {
  test.each([...kinds])("%s: %s", (name, kind) => {
    const [litmus] = read(join(herd, `${name}.litmus`)) as [LitmusTest];
    const [check] = litmus.checks;
    if (check === undefined) throw new Error("a herd test asks one question");
    expect(judge(check, runPhases(litmus, model, defaultOptions))).toBe(kind === "Allow" ? "ALLOWED" : "FORBIDDEN");
  });
});

test.skipIf(!present)("all of both sets was there", () => {
  expect(reference.length).toBe(Object.keys(golden).length);
  expect(kinds.size).toBe(readdirSync(herd).filter((name) => name.endsWith(".litmus")).length);
});
