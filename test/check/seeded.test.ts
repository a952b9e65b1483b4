/** `blackout check` finds every mistake that is seeded into our persistent structures, and none without. */
import { describe, expect, it } from "vitest";
import { findingsOf, functionsOf, type ShownFinding } from "../support/findings.ts";
import { type Backend, checkGuest, pool } from "./guests.ts";
import { checkGuests, seededMistakes } from "./seeded.ts";

/** A demangled function without its class and arguments. */
const bareName = (name: string): string => name.replace(/\(.*/, "").split("::").at(-1)!;

const check = (guest: string, mistake: string | undefined, backend: Backend, options: readonly string[]) =>
  findingsOf("check", ["--no-rules", ...options, "--", checkGuest(guest, mistake, backend), pool]);

const shown = (findings: readonly ShownFinding[]): string =>
  findings.map(({ rule, message, cause }) => `${rule}: ${message} in ${functionsOf(cause).join(" < ")}`).join("\n");

describe("a seeded mistake is found", () => {
  it.each(seededMistakes)("$guest $mistake", async ({ guest, mistake, rule, says, inside, options }) => {
    const findings = await check(guest, mistake, "raw", options);
    const told = findings.filter((finding) => finding.rule === rule && says.test(finding.message));
    expect(told, shown(findings)).not.toEqual([]);
    expect(
      told.flatMap(({ cause }) => functionsOf(cause).map(bareName)),
      shown(told),
    ).toContain(inside);
  });
});

describe("nothing is found", () => {
  it.each(checkGuests)("in %s, at any store", async (guest) => {
    expect(shown(await check(guest, undefined, "raw", ["--granularity", "store", "--all-points"]))).toBe("");
  });
  it.each(checkGuests)("in %s on libpmem", async (guest) => {
    expect(shown(await check(guest, undefined, "libpmem", []))).toBe("");
  });
});
