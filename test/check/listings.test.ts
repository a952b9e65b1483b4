/**
 * Mistakes of order that no trace shows and recovery does: Listings 2.4, 4.1, 4.2 and 4.3 of the dissertation behind
 * Agamotto and Squint, as guests of our own. Each program runs the mended function first, then the one with the mistake;
 * every failing recovery must be laid at the second one's door.
 */
import { describe, expect, it } from "vitest";
import { findingsOf, functionsOf, type ShownFinding } from "../support/findings.ts";
import { compileGuest } from "../support/programs.ts";

const pool = "/tmp/blackout-listing-pool.img";

interface Listing {
  readonly name: string;
  /** The function with the mistake. */
  readonly inside: string;
  /** What recovery says, once for each way to fail. */
  readonly says: readonly string[];
}

const noKey = "not so: strlen(entry->key) > 0";
const noValue = "not so: strlen(entry->value) > 0";
const gone = "not so: finds(table, table[2].key)";

const listings: readonly Listing[] = [
  { name: "2-4-header-first", inside: "create", says: ["arena 0 has no type", "arena 1 has no type"] },
  { name: "4-1-unordered-insert", inside: "insert", says: [noKey, noValue] },
  { name: "4-2-unordered-replace", inside: "replace", says: [gone, noKey, noValue] },
  { name: "4-3-partly-ordered-insert", inside: "insert_ordered", says: [noValue] },
];

const saidBy = (findings: readonly ShownFinding[]): readonly string[] =>
  [...new Set(findings.map(({ message }) => /saying "(.*?)"/.exec(message)?.[1] ?? message))].sort((a, b) =>
    a.localeCompare(b),
  );

describe("recovery tells what the trace cannot", () => {
  it.each(listings)("$name", async ({ name, inside, says }) => {
    const program = compileGuest(`listings/${name}.c`, ["-O1", "-g", "-fno-inline", "-static"]);
    const errors = (await findingsOf("check", ["--recover", `${program} ${pool} check`, "--", program, pool])).filter(
      ({ severity }) => severity === "error",
    );
    expect(saidBy(errors)).toEqual(says);
    for (const { rule, cause } of errors) {
      expect(rule).toMatch(/^recovery-(?:fails|killed)$/);
      expect(functionsOf(cause)).toContain(inside);
    }
  });
});
