/**
 * The examples of missing and extra flushes and fences in the dissertation behind Agamotto, Hippocrates and Squint, as
 * guests of our own (guests/listings): each gives exactly the findings its source expects, and its mended twin none.
 */
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Expectation, expectationMetBy, expectationsIn, findingsOf } from "../support/findings.ts";
import { compileGuest, guestSource } from "../support/programs.ts";

const example = (name: string) => resolve(import.meta.dirname, "../../examples/rules", name);
const customRules = ["redundant-undo-log.ts", "atomic-update.ts"].flatMap((name) => ["--rule", example(name)]);

interface Listing {
  readonly name: string;
  readonly flags?: readonly string[];
  readonly options?: readonly string[];
  readonly words?: readonly string[];
  /** Taken instead of what the source expects. */
  readonly silent?: true;
}

const listings: readonly Listing[] = [
  { name: "2-1-ordered-writes" },
  { name: "2-2-freed-pointer" },
  { name: "2-3-shrunk-array" },
  { name: "2-5-universal-oracles" },
  { name: "2-6-logged-twice", options: customRules },
  { name: "2-7-input-path", words: ["write"] },
  { name: "2-7-input-path", words: ["read"], silent: true },
  { name: "3-1-fix-in-place" },
  { name: "3-2-fix-by-caller", flags: ["-lpmem"] },
  { name: "3-3-missing-fence" },
  { name: "3-4-missing-flush" },
  { name: "3-5-subprogram" },
];

const unique = (expectations: readonly Expectation[]): readonly string[] =>
  [
    ...new Set(expectations.map(({ line, rule, severity, functions }) => `${line} ${rule} ${severity} ${functions}`)),
  ].sort((a, b) => a.localeCompare(b));

describe("a listing gives exactly what it expects", () => {
  it.each(listings)("$name $words", async ({ name, flags = ["-static"], options = [], words = [], silent }) => {
    const source = guestSource(`listings/${name}.c`);
    const program = compileGuest(`listings/${name}.c`, ["-O1", "-g", "-fno-inline", ...flags]);
    const expected = silent ? [] : expectationsIn(source);
    const found = await findingsOf("trace", [...options, "--", program, ...words]);
    expect(unique(found.map((finding) => expectationMetBy(finding, source, expected)))).toEqual(unique(expected));
    expect(expected.length > 0 || silent).toBe(true);
  });
});
