/**
 * `blackout check` finds every mistake that is seeded into our persistent structures, and none without. The tests take every
 * eighth row, every other structure without one, and a few on libpmem, where a recovery takes longer to start, and of judging by
 * output; SEEDED=all takes them all (`make seeded`).
 */
import { env } from "node:process";
import { afterAll, describe, expect, it } from "vitest";
import type { Report } from "../../src/report/document/index.ts";
import { findingsIn, functionsOf, reportOf, type ShownFinding } from "../support/findings.ts";
import { type Backend, checkGuest, checkSource, pool } from "./guests.ts";
import { checkGuests, libpmemMistakes, type SeededMistake, seededMistakes, silentMistakes } from "./seeded.ts";
import {
  expectOneEach,
  expectOnUsersLines,
  expectSameRead,
  expectStoringLines,
  expectStory,
  headlineDistance,
  ofProgram,
} from "./stories.ts";

/** A demangled function without its class and arguments. */
const bareName = (name: string): string => name.replace(/\(.*/, "").split("::").at(-1)!;
const namesIn = (findings: readonly ShownFinding[]) =>
  findings.flatMap(({ cause }) => functionsOf(cause).map(bareName));

/** A recovery's own mistake may be shown by any store: what it takes to fail, or until when it fails. */
const namesAnywhere = (findings: readonly ShownFinding[]) =>
  findings.flatMap(({ cause, evidence }) => [cause, ...evidence].flatMap((place) => functionsOf(place).map(bareName)));

const checked = (program: string, options: readonly string[]) =>
  reportOf("check", ["--no-rules", ...options, "--", program, pool]);
const check = async (program: string, options: readonly string[]) => findingsIn(await checked(program, options));

const shown = (findings: readonly ShownFinding[]): string =>
  findings.map(({ rule, message, cause }) => `${rule}: ${message} in ${functionsOf(cause).join(" < ")}`).join("\n");

/** How recovery fails, without what it says of the state at hand. */
const wayOf = ({ source }: RegExp): RegExp => new RegExp(source.split(".*")[0]!);

/** One mistake that is two findings: recovery's own, which two operations of the program show. */
const toldTwice: ReadonlySet<string> = new Set(["list RECOVERY", "allocator RECOVERY"]);

async function expectFound(backend: Backend, row: SeededMistake) {
  const { guest, mistake, says, inside, options } = row;
  // Stories tell fixes, too; nobody reads them of the other rows.
  const fixes = backend === "raw" ? [] : ["--no-fix"];
  const report = await checked(checkGuest(guest, mistake, backend), [...fixes, ...options]);
  const findings = findingsIn(report);
  // However recovery takes a mistake, it is one finding; the ways in which it fails are in its words.
  const told = findings.filter(({ message }) => wayOf(says).test(message));
  expect(told, shown(findings)).not.toEqual([]);
  const named = row.class === "recovery bug" ? namesAnywhere(told) : namesIn(told);
  expect(named, shown(told)).toContain(inside);
  for (const finding of report.findings) {
    expectOnUsersLines(finding);
    expectStoringLines(finding, checkSource(guest));
    expectSameRead(report, finding);
  }
  const errors = report.findings.filter(({ severity }) => severity === "error");
  errorsOf[backend].push(errors.length);
  expect(errors, shown(findings)).toHaveLength(toldTwice.has(`${guest} ${mistake}`) ? 2 : 1);
  expectOnMistake(report, row);
  if (backend === "raw") await expectStory(report, `${guest}-${mistake}`);
}

/**
 * The headline stands on the mistake: on its line or one near it, or on two lines of the function with the mistake between them. The
 * program's own mistake is in what it says of the program, recovery's where it says what recovery did with that.
 */
function expectOnMistake(report: Report, { guest, mistake, class: kind }: SeededMistake): void {
  const errors = report.findings.filter(({ severity }) => severity === "error");
  const partOf = (headline: string) => (kind === "recovery bug" ? headline : ofProgram(headline));
  const away = errors.map((finding) =>
    headlineDistance(report, finding, partOf(finding.headline), checkSource(guest), mistake),
  );
  expect(Math.min(...away), errors.map(({ headline }) => headline).join("\n")).toBeLessThanOrEqual(nearLines);
}
const nearLines = 2;

/** Errors of each row that was judged. */
const errorsOf: Readonly<Record<Backend, number[]>> = { raw: [], libpmem: [] };

describe("a seeded mistake is found", () => {
  afterAll(() => Object.values(errorsOf).forEach(expectOneEach));
  const some = seededMistakes.filter((_, at) => env.SEEDED === "all" || at % 8 === 0);
  it.each(some)("$guest $mistake", (row) => expectFound("raw", row));

  const onLibpmem = ({ guest, mistake }: SeededMistake): boolean =>
    env.SEEDED === "all" || libpmemMistakes.has(`${guest} ${mistake}`);
  it.each(seededMistakes.filter(onLibpmem))("$guest $mistake on libpmem", (row) => expectFound("libpmem", row));
});

describe("nothing is found", () => {
  it.each(checkGuests.filter((_, at) => env.SEEDED === "all" || at % 2 === 0))("in %s, at any store", async (guest) => {
    const options = ["--granularity", "store", "--all-points"];
    expect(shown(await check(checkGuest(guest, undefined), options))).toBe("");
  });
  // As many of them as there is time for; SEEDED=all takes all.
  it.each(env.SEEDED === "all" ? checkGuests : checkGuests.slice(0, 1))("in %s on libpmem", async (guest) => {
    expect(shown(await check(checkGuest(guest, undefined, "libpmem"), []))).toBe("");
  });
});

describe("the output tells what nobody judges", () => {
  const asShown = (program: string) => ["--oracle", "output", "--recover", `${program} ${pool} show`];

  const taken = env.SEEDED === "all" ? silentMistakes : silentMistakes.slice(0, 2);
  it.each(taken)("of %s %s", async (guest, mistake, inside) => {
    const program = checkGuest(guest, mistake);
    expect(shown(await check(program, asShown(program).slice(2)))).toBe("");
    const findings = await check(program, asShown(program));
    expect(new Set(findings.map(({ rule }) => rule)), shown(findings)).toEqual(new Set(["recovery-output"]));
    expect(namesIn(findings), shown(findings)).toContain(inside);
  });
  it.each(taken)("and nothing of %s without %s", async (guest) => {
    const program = checkGuest(guest, undefined);
    expect(shown(await check(program, asShown(program)))).toBe("");
  });
});
