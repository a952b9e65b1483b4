/**
 * `blackout check` finds every mistake that is seeded into our persistent structures, and none without. On
 * libpmem a recovery takes longer to start, so that the tests take a few of the rows; SEEDED=all takes them all (`make seeded`).
 */
import { env } from "node:process";
import { describe, expect, it } from "vitest";
import { findingsOf, functionsOf, type ShownFinding } from "../support/findings.ts";
import { type Backend, checkGuest, pool } from "./guests.ts";
import { checkGuests, libpmemMistakes, type SeededMistake, seededMistakes, silentMistakes } from "./seeded.ts";

/** A demangled function without its class and arguments. */
const bareName = (name: string): string => name.replace(/\(.*/, "").split("::").at(-1)!;
const namesIn = (findings: readonly ShownFinding[]) =>
  findings.flatMap(({ cause }) => functionsOf(cause).map(bareName));

const check = (program: string, options: readonly string[]) =>
  findingsOf("check", ["--no-rules", ...options, "--", program, pool]);

const shown = (findings: readonly ShownFinding[]): string =>
  findings.map(({ rule, message, cause }) => `${rule}: ${message} in ${functionsOf(cause).join(" < ")}`).join("\n");

/** How recovery fails, without what it says of the state at hand. */
const wayOf = ({ source }: RegExp): RegExp => new RegExp(source.split(".*")[0]!);

async function expectFound(backend: Backend, { guest, mistake, says, inside, options }: SeededMistake) {
  const findings = await check(checkGuest(guest, mistake, backend), options);
  // However recovery takes a mistake, it is one finding; the ways in which it fails are in its words.
  const told = findings.filter(({ message }) => wayOf(says).test(message));
  expect(told, shown(findings)).not.toEqual([]);
  expect(namesIn(told), shown(told)).toContain(inside);
}

describe("a seeded mistake is found", () => {
  it.each(seededMistakes)("$guest $mistake", (row) => expectFound("raw", row));

  const onLibpmem = ({ guest, mistake }: SeededMistake): boolean =>
    env.SEEDED === "all" || libpmemMistakes.has(`${guest} ${mistake}`);
  it.each(seededMistakes.filter(onLibpmem))("$guest $mistake on libpmem", (row) => expectFound("libpmem", row));
});

describe("nothing is found", () => {
  it.each(checkGuests)("in %s, at any store", async (guest) => {
    const options = ["--granularity", "store", "--all-points"];
    expect(shown(await check(checkGuest(guest, undefined), options))).toBe("");
  });
  it.each(checkGuests)("in %s on libpmem", async (guest) => {
    expect(shown(await check(checkGuest(guest, undefined, "libpmem"), []))).toBe("");
  });
});

describe("the output tells what nobody judges", () => {
  const asShown = (program: string) => ["--oracle", "output", "--recover", `${program} ${pool} show`];

  it.each(silentMistakes)("of %s %s", async (guest, mistake, inside) => {
    const program = checkGuest(guest, mistake);
    expect(shown(await check(program, asShown(program).slice(2)))).toBe("");
    const findings = await check(program, asShown(program));
    expect(new Set(findings.map(({ rule }) => rule)), shown(findings)).toEqual(new Set(["recovery-output"]));
    expect(namesIn(findings), shown(findings)).toContain(inside);
  });
  it.each(silentMistakes)("and nothing of %s without %s", async (guest) => {
    const program = checkGuest(guest, undefined);
    expect(shown(await check(program, asShown(program)))).toBe("");
  });
});
