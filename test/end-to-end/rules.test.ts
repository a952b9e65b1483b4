/** Every guest below guests/rules: a bad one is blamed at the line that says so, its fixed twin is not. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ruleCatalogue } from "../../src/engines/index.ts";
import { compileRuleGuest, ruleGuests } from "../rules/guests.ts";
import { findingsOf, framesIn, functionsOf, type ShownFinding } from "../support/findings.ts";
import { guestSource } from "../support/programs.ts";

const findingsIn = (name: string): Promise<readonly ShownFinding[]> =>
  findingsOf("trace", ["--", compileRuleGuest(name)]);

/** Where a finding lies in the guest's own source. */
const lineIn = (source: string, { cause }: ShownFinding): number | undefined => framesIn(source, cause)[0]?.line;

/** Lines that say `// expect: rule`. */
const expectedLines = (source: string, rule: string): readonly number[] =>
  readFileSync(source, "utf8")
    .split("\n")
    .flatMap((line, index) => (line.includes(`// expect: ${rule}`) ? [index + 1] : []));

const bad = ruleGuests.filter(({ name }) => /bad\.\w+$/.test(name));
const good = ruleGuests.filter(({ name }) => /good\.\w+$/.test(name));

it("every rule has a guest, and every bad guest a fixed twin", () => {
  const rules = new Set(bad.map(({ rule }) => rule));
  expect(ruleCatalogue.map(({ id }) => id).filter((id) => !rules.has(id))).toEqual([]);
  expect(good.map(({ name }) => name.replace("good", "bad"))).toEqual(bad.map(({ name }) => name));
  expect(ruleGuests.length).toBeGreaterThanOrEqual(30);
});

/** Where a guest's threads begin. */
const beginnings = new Set(["main", "work"]);

describe("a bad guest", () => {
  it.each(bad)("$name is blamed at its line", async ({ rule, name }) => {
    const source = guestSource(`rules/${name}`);
    const found = (await findingsIn(name)).filter((finding) => finding.rule === rule);
    expect(found.map((finding) => lineIn(source, finding))).toEqual(expectedLines(source, rule));
    for (const { cause } of found) expect(functionsOf(cause).filter((name) => beginnings.has(name))).toHaveLength(1);
  });
});

describe("a fixed twin", () => {
  it.each(good)("$name is not blamed, and has no error at all", async ({ rule, name }) => {
    const found = await findingsIn(name);
    expect(found.filter((finding) => finding.rule === rule || finding.severity === "error")).toEqual([]);
  });
});
