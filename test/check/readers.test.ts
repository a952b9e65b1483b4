/** The headline of a failure with every store kept says which function of recovery reads the state, from the read to where it is left. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { reportOf } from "../support/findings.ts";
import { compileGuest, guestSource } from "../support/programs.ts";
import { pool } from "./guests.ts";

const source = readFileSync(guestSource("check/readers.c"), "utf8").split("\n");
const lineOf = (mark: string): number => source.findIndex((line) => line.endsWith(`// ${mark}`)) + 1;
const from = (name: string): string => `${name} (readers.c:${lineOf(`${name} reads`)}-${lineOf(`${name} is left`)})`;

const headlineOf = async (how: string, flags: readonly string[], ...program: readonly string[]) => {
  const path = compileGuest("check/readers.c", ["-g", ...flags]);
  const words = [
    "--no-rules",
    "--no-fix",
    "--no-explore",
    "--recover",
    `${path} ${pool} check ${how}`,
    "--",
    path,
    pool,
    ...program,
  ];
  const report = await reportOf("check", words);
  return report.findings.map(({ headline }) => headline);
};

const crash = `a crash between readers.c:${lineOf("breaks")} and readers.c:${lineOf("mends")} breaks recovery, even with every store kept: `;
const builds = [
  ["-O0", "-static"],
  ["-O1", "-static"],
];

it.each(builds)("built with %s", async (...flags) => {
  for (const how of ["compared", "compared_inline", "weighed", "refused"])
    expect(await headlineOf(how, flags), how).toEqual([`${crash}${from(how)} reads what is left`]);
  expect(await headlineOf("led", flags)).toEqual([
    `${crash}${from("led")} and followed (readers.c:${lineOf("followed reads")}) read what is left`,
  ]);
});

it.each(builds)("what recovery takes back, built with %s", async (...flags) => {
  const [headline, ...more] = await headlineOf("taken_back", flags, "at-once");
  expect(headline).toMatch(`: taken_back (readers.c:${lineOf("taken_back changes")}) changes pair->one`);
  expect(more).toEqual([]);
});
