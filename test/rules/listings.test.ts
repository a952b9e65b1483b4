/**
 * The examples of missing and extra flushes and fences in the dissertation behind Agamotto, Hippocrates and Squint, as
 * guests of our own (guests/listings): each gives exactly the findings its source expects, and its mended twin none.
 */
import { describe, expect, it } from "vitest";
import { type Expectation, expectationMetBy, expectationsIn, findingsOf } from "../support/findings.ts";
import { guestSource } from "../support/programs.ts";
import { listingGuest, tracedListings } from "./listings.ts";

const unique = (expectations: readonly Expectation[]): readonly string[] =>
  [
    ...new Set(expectations.map(({ line, rule, severity, functions }) => `${line} ${rule} ${severity} ${functions}`)),
  ].sort((a, b) => a.localeCompare(b));

describe("a listing gives exactly what it expects", () => {
  it.each(tracedListings)("$name $words", async ({ name, flags, options = [], words = [], silent }) => {
    const source = guestSource(`listings/${name}.c`);
    const program = listingGuest(name, flags);
    const expected = silent ? [] : expectationsIn(source);
    const found = await findingsOf("trace", [...options, "--", program, ...words]);
    expect(unique(found.map((finding) => expectationMetBy(finding, source, expected)))).toEqual(unique(expected));
    expect(expected.length > 0 || silent).toBe(true);
  });
});
