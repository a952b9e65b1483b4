/**
 * `blackout check` on structures on libpmemobj: every seeded mistake is found, in the function that makes it, and nothing
 * is found without. A pool is made by the set-up, so that only the work on it is traced. A recovery is some twenty million
 * instructions, so the tests take a few of the rows; SEEDED=all takes them all (`make seeded`).
 */
import { describe, expect, it } from "vitest";
import { findingsOf, functionsOf, type ShownFinding } from "../support/findings.ts";
import { objectGuest, objectMistakes, objectWords } from "./seeded-obj.ts";

const check = (name: string, mistake?: string): Promise<readonly ShownFinding[]> =>
  findingsOf("check", objectWords(objectGuest(name, mistake)));

/** A demangled function without its arguments. */
const bareName = (name: string): string => name.replace(/\(.*/, "");

const shown = (findings: readonly ShownFinding[]): string =>
  findings.map(({ rule, message, cause }) => `${rule}: ${message} in ${functionsOf(cause).join(" < ")}`).join("\n");

const everything = process.env.SEEDED === "all";
const quick: ReadonlySet<string> = new Set(["array MISSING_ADD"]);
const chosen = objectMistakes.filter(([name, mistake]) => everything || quick.has(`${name} ${mistake}`));

describe("a seeded mistake is found", () => {
  // One finding tells a mistake, by the crash state that takes the fewest lost stores: what recovery says there is not pinned.
  it.each(chosen)("%s %s: %s", async (name, mistake, _class, _rule, _says, inside) => {
    const findings = await check(name, mistake);
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
