/**
 * herd's catalogue of volatile x86-64 tests in both models. Its licence keeps it out of the project: where no copy lies
 * beside the clone (`../shared/litmus/herdtools7-x86_64`), these tests are left out with a sentence.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultOptions, judge, parseTests, runPhases } from "../../src/model/litmus/index.ts";

const folder = join(import.meta.dirname, "../../../shared/litmus/herdtools7-x86_64");
const verdicts = join(folder, "kinds.txt");
const isThere = existsSync(verdicts);
if (!isThere) console.warn(`herd's catalogue is left out: there is no ${verdicts}`);

/** Each test's name, and Allow or Forbid. */
const kinds = (isThere ? readFileSync(verdicts, "utf8") : "")
  .split("\n")
  .map((line) => line.trim().split(/\s+/))
  .filter((words): words is [string, string] => words.length === 2);

describe.skipIf(!isThere).each(["operational", "axiomatic"] as const)("herd's catalogue, %s model", (model) => {
  test.each(kinds)("%s: %s", (name, kind) => {
    const path = join(folder, `${name}.litmus`);
    const [litmus] = parseTests({ file: path, text: readFileSync(path, "utf8") });
    const [check] = litmus!.checks;
    expect(judge(check!, runPhases(litmus!, model, defaultOptions))).toBe(kind === "Allow" ? "ALLOWED" : "FORBIDDEN");
  });
});

test.skipIf(!isThere)("every test of the catalogue has its verdict", () => {
  expect(kinds.length).toBe(readdirSync(folder).filter((name) => name.endsWith(".litmus")).length);
});
