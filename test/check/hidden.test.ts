/**
 * Mistakes that take more than a first look: a cut within a line, a crash between an answer and its fence, an instance other
 * than the first, later work, or a search for the store that turned a good state into a bad one. Each guest has one, told
 * once and at the line that is marked; without it nothing is found.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findingsOf, framesIn, functionsOf, type ShownFinding } from "../support/findings.ts";
import { compileGuest, guestSource } from "../support/programs.ts";

const pool = "/tmp/blackout-hidden-pool.img";
const checked = (program: string) => ["--recover", `${program} ${pool} check`, "--", program, pool];
/** The work goes on: `word` is what the guest calls its operation. */
const worked = (word: string) => (program: string) => [
  ...["--recover", `${program} ${pool} show`, "--then", `${program} ${pool} ${word} {n}`],
  ...["--", program, pool],
];
const objects = (program: string) => [
  ...["--setup", `${program} create ${pool}`, "--recover", `${program} check ${pool}`],
  ...["--", program, "run", pool],
];

const raw = ["-static"];
const libpmemobj = ["-lpmemobj"];

type Row = readonly [
  guest: string,
  built: readonly string[],
  words: (program: string) => readonly string[],
  takes: string,
];

// biome-ignore format: columns stay aligned
const guests: readonly Row[] = [
  // guest              built with    words of check    what it takes
  ["flag-first",        raw,          checked,          "a cut within a line"],
  ["in-line-transfer",  raw,          checked,          "a cut within a line"],
  ["torn-pair",         raw,          checked,          "a cut within a line"],
  ["early-answer",      raw,          checked,          "a crash between an answer and its fence"],
  ["early-marker",      raw,          checked,          "a crash between an answer and its fence"],
  ["second-push",       raw,          checked,          "an instance other than the first"],
  ["next-line",         raw,          checked,          "an instance other than the first"],
  ["wrap-around",       raw,          checked,          "an instance other than the first"],
  ["taken-slot",        raw,          worked("add"),    "later work"],
  ["next-number",       raw,          worked("draw"),   "later work"],
  ["unlogged-total",    libpmemobj,   objects,          "a search for the store"],
  ["unlogged-link",     libpmemobj,   objects,          "a search for the store"],
];

/** A recovery on libpmemobj takes long: `make seeded` has those. */
const chosen = guests.filter(([, built]) => built === raw || process.env.SEEDED === "all");

function check([name, libraries, words]: Row, mistake: readonly string[]): Promise<readonly ShownFinding[]> {
  const program = compileGuest(`check/hidden/${name}.c`, ["-O1", "-g", ...mistake, ...libraries]);
  return findingsOf("check", ["--no-rules", ...words(program)]);
}

const shown = (findings: readonly ShownFinding[]): string =>
  findings.map(({ rule, message, cause }) => `${rule}: ${message} in ${functionsOf(cause).join(" < ")}`).join("\n");

describe("a hidden mistake is found, once and at its line", () => {
  it.each(chosen)("%s", async (...row) => {
    const source = guestSource(`check/hidden/${row[0]}.c`);
    const findings = await check(row, ["-DBUG"]);
    expect(findings.length, shown(findings)).toBe(1);
    const { cause, evidence } = findings[0]!;
    const line =
      readFileSync(source, "utf8")
        .split("\n")
        .findIndex((text) => text.includes("/* blamed */")) + 1;
    // Where the stores are in the wrong order, the one that came too early is the cause, and the one that is lost is named.
    const lines = [cause, ...evidence].map((place) => framesIn(source, place)[0]?.line);
    expect(lines, shown(findings)).toContain(line);
  });
});

describe("and nothing without it", () => {
  it.each(chosen)("%s", async (...row) => expect(shown(await check(row, []))).toBe(""));
});
