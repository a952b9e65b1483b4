/**
 * Mistakes of order that no trace shows and recovery does: Listings 2.4, 4.1, 4.2 and 4.3 of the dissertation behind
 * Agamotto and Squint, as guests of our own. Each program runs the mended function first, then the one with the mistake;
 * every failing recovery must be laid at the second one's door.
 */
import { describe, expect, it } from "vitest";
import { listingGuest } from "../rules/listings.ts";
import { findingsOf, functionsOf, type ShownFinding } from "../support/findings.ts";
import { crashedListings, crashedListingWords } from "./listings.ts";

const saidBy = (findings: readonly ShownFinding[]): readonly string[] =>
  [...new Set(findings.map(({ message }) => /saying "(.*?)"/.exec(message)?.[1] ?? message))].sort((a, b) =>
    a.localeCompare(b),
  );

describe("recovery tells what the trace cannot", () => {
  it.each(crashedListings)("$name", async ({ name, inside, says }) => {
    const program = listingGuest(name);
    const errors = (await findingsOf("check", crashedListingWords(program))).filter(
      ({ severity }) => severity === "error",
    );
    expect(saidBy(errors)).toEqual(says);
    for (const { rule, cause } of errors) {
      expect(rule).toMatch(/^recovery-(?:fails|killed)$/);
      expect(functionsOf(cause)).toContain(inside);
    }
  });
});
