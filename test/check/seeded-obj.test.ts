/**
 * `blackout check` on structures on libpmemobj: every seeded mistake is found, in the function that makes it, and nothing
 * is found without. A pool is made by the set-up, so that only the work on it is traced. A recovery is some twenty million
 * instructions, so the tests take a few of the rows; SEEDED=all takes them all (`make seeded`).
 */
import { afterAll, describe, expect, it } from "vitest";
import { reportText } from "../../src/report/render/index.ts";
import { findingsIn, findingsOf, functionsOf, reportOf, type ShownFinding } from "../support/findings.ts";
import { compileExample } from "../support/programs.ts";
import { objectGuest, objectMistakes, objectWords } from "./seeded-obj.ts";
import { expectOneEach, expectOnUsersLines } from "./stories.ts";

const check = (name: string, mistake?: string): Promise<readonly ShownFinding[]> =>
  findingsOf("check", objectWords(objectGuest(name, mistake)));

/** A demangled function without its arguments. */
const bareName = (name: string): string => name.replace(/\(.*/, "");

const shown = (findings: readonly ShownFinding[]): string =>
  findings.map(({ rule, message, cause }) => `${rule}: ${message} in ${functionsOf(cause).join(" < ")}`).join("\n");

const everything = process.env.SEEDED === "all";
const quick: ReadonlySet<string> = new Set(["array MISSING_ADD"]);
const chosen = objectMistakes.filter(([name, mistake]) => everything || quick.has(`${name} ${mistake}`));

/** Errors of each row that was judged. */
const errorsOf: number[] = [];

describe("a seeded mistake is found", () => {
  afterAll(() => expectOneEach(errorsOf));
  // One finding tells a mistake, by the crash state that takes the fewest lost stores: what recovery says there is not pinned.
  it.each(chosen)("%s %s: %s", async (name, mistake, _class, _rule, _says, inside) => {
    const report = await reportOf("check", ["--no-fix", ...objectWords(objectGuest(name, mistake))]);
    for (const finding of report.findings) expectOnUsersLines(finding);
    errorsOf.push(report.summary.errors);
    const findings = findingsIn(report);
    const told = findings.filter(({ rule }) => rule.startsWith("recovery-"));
    expect(
      told.flatMap(({ cause }) => functionsOf(cause).map(bareName)),
      shown(findings),
    ).toContain(inside);
  });
});

describe("nothing is found", () => {
  it.each(everything ? [...new Set(objectMistakes.map(([name]) => name))] : ["accounts"])("in %s", async (name) => {
    expect(shown(await check(name))).toBe("");
  });
});

describe("a correct program that creates its pool", () => {
  it.runIf(everything)("has no error, and a report of a dozen lines", async () => {
    const report = await reportOf("check", [
      "--",
      compileExample("counters.c", ["-lpmemobj"]),
      "/tmp/blackout-counters.pool",
    ]);
    expect(report.summary.errors).toBe(0);
    expect(report.findings.filter(({ cut }) => cut !== undefined).map(({ rule }) => rule)).toEqual([
      "creation-not-atomic",
    ]);
    // And two lines that tell how much was judged and explored.
    expect(reportText(report, { readSource: () => undefined }).split("\n").length + 2).toBeLessThanOrEqual(12);
  });
});
