/**
 * Exploration finds what is seeded into the guests of check, in the same function, and nothing without. The tests take some of
 * the rows; SEEDED=all takes them all (`make seeded`), and holds each against Jaaru's way and every crash state one by one where
 * that ends.
 */
import { describe, expect, it } from "vitest";
import { checkGuest, pool } from "../check/guests.ts";
import { checkGuests, seededMistakes, silentMistakes } from "../check/seeded.ts";
import { judging } from "../support/subject.ts";
import { expectSlowTwins, explored, functionsIn, isWhole } from "./support.ts";

/** What a recovery reads of unpersisted lines may be more than can be gone through; what is seeded shows before. */
const limits = { maxExecutions: 6000 };
const oneIn = isWhole ? 1 : 6;
const taken = <T>(rows: readonly T[]): readonly T[] => rows.filter((_, i) => i % oneIn === 0);

/** What is found, which the slow twins agree with. */
function found(guest: string, mistake: string | undefined) {
  const result = explored([checkGuest(guest, mistake), pool], {}, limits);
  if (isWhole) expectSlowTwins(result);
  return result.plan.findings();
}

describe("a seeded mistake is found", () => {
  it.each(taken(seededMistakes))("$guest $mistake", ({ guest, mistake, inside, class: kind }) => {
    const findings = found(guest, mistake);
    // A recovery that is wrong fails on right stores: which of them is blamed depends on the states that are looked at.
    if (kind === "recovery bug") expect(findings).not.toEqual([]);
    else expect(functionsIn(findings)).toContain(inside);
  });
  it.each(taken(silentMistakes))("by what is printed: %s %s", (guest, mistake, inside) => {
    const program = checkGuest(guest, mistake);
    const output = { ...judging, oracle: "output" } as const;
    const shown = { recover: [program, pool, "show"] };
    expect(explored([program, pool], shown, limits).plan.findings()).toEqual([]);
    expect(functionsIn(explored([program, pool], shown, { ...limits, judging: output }).plan.findings())).toContain(
      inside,
    );
  });
});

describe("nothing is found", () => {
  it.each(taken(checkGuests))("in %s", (guest) => {
    expect(found(guest, undefined)).toEqual([]);
  });
});
