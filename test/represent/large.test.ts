/**
 * Mistakes in runs that exploration cannot get through: a B+-tree whose log spills only when a split reaches many levels, and
 * a hash map that grows a few times in a hundred thousand operations. `make seeded` takes the large runs.
 */
import { expect, it } from "vitest";
import { findingsOf, functionsOf } from "../support/findings.ts";
import { compileGuest } from "../support/programs.ts";
import { pool } from "./support.ts";

const isAll = process.env["SEEDED"] === "all";
const operations = isAll ? 100_000 : 2000;
/** In minutes, on two busy cores. */
const patience = 20 * 60_000;

const represent = (guest: string, defines: readonly string[], count = operations) => {
  const program = compileGuest(guest, ["-O1", "-g", "-static", ...defines]);
  const words = ["--no-journal", "--recover", `${program} ${pool}`, "--", program, pool, `${count}`];
  return findingsOf("represent", words);
};

type Row = readonly [mistake: string, inside: string];
const mistakes: readonly Row[] = [
  ["GROW", "grow"],
  ["LINK", "insert"],
  ["CHANGE", "change"],
  ["UNLINK", "take_out"],
];

it.each(isAll ? mistakes : mistakes.slice(0, 1))(
  "a hash map: %s",
  async (mistake, inside) => {
    const findings = await represent("represent/buckets.c", [`-DBUG_${mistake}`]);
    expect(findings.flatMap(({ cause, evidence }) => [cause, ...evidence].flatMap(functionsOf))).toContain(inside);
  },
  patience,
);

it.runIf(isAll)(
  "a hash map without mistakes",
  async () => expect(await represent("represent/buckets.c", [])).toEqual([]),
  patience,
);

it.runIf(isAll)(
  "one update in 65 536 of a million stores",
  async () => {
    const findings = await represent("represent/cells.c", ["-DBUG_EARLY"], 1_000_000);
    expect(findings.flatMap(({ cause, evidence }) => [cause, ...evidence].flatMap(functionsOf))).toContain(
      "update_early",
    );
  },
  patience,
);

it.runIf(isAll)(
  "a B+-tree whose log spills",
  async () => {
    const findings = await represent("check/large.c", ["-DBUG_SPILL"]);
    expect(findings.map(({ message }) => message).join("\n")).toMatch(/exits with 3, saying "record 7 names no node"/);
  },
  patience,
);
