/**
 * Seeded mistakes of guests/check: what is found of a missing or late flush or fence, in which function, and that verified fixes lead to a
 * program that is robust and that exploration finds no ordering bug in. SEEDED=all takes every row (`make seeded`).
 */
import { env } from "node:process";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/crash/finding/index.ts";
import { fixPoint, verifyFixes } from "../../src/engines/index.ts";
import type { Patch } from "../../src/machine/index.ts";
import { checkGuest, checkSource, pool } from "../check/guests.ts";
import { seededMistakes } from "../check/seeded.ts";
import { mistakeLines } from "../check/stories.ts";
import { explored } from "../explore/support.ts";
import { judgedRobust } from "./support.ts";

/** What `make test` takes. */
const sample: ReadonlySet<string> = new Set(["list MISSING_FLUSH", "undolog EARLY_COMMIT"]);
const isTaken = (guest: string, mistake: string) => env["SEEDED"] === "all" || sample.has(`${guest} ${mistake}`);

/** Their stores are in the right order, and only what makes them durable comes too late. */
const lateFlush: ReadonlySet<string> = new Set(["undolog EARLY_COMMIT", "redolog WRONG_ORDER", "redolog EARLY_CLEAR"]);

const rows = seededMistakes
  .filter(({ options, guest }) => options.length === 0 && guest !== "ringlog")
  .filter(
    ({ guest, mistake, class: kind }) =>
      kind === "missing flush" || kind === "missing fence" || lateFlush.has(`${guest} ${mistake}`),
  )
  .filter(({ guest, mistake }) => isTaken(guest, mistake));

/** How far the pair and its fix are from the seeded mistake, in lines of the guest's source. */
function distance({ order }: Finding, source: string, mistake: string): number {
  const places = [order!.missing, order!.kept, ...(order!.fix?.inserts.map(({ after }) => after) ?? [])];
  const lines = places.flatMap(({ frames }) => frames.filter(({ file }) => file === source).map(({ line }) => line!));
  const away = (line: number, [from, to]: readonly [number, number]) => Math.max(from - line, line - to, 0);
  return Math.min(...lines.flatMap((line) => mistakeLines(source, mistake).map((range) => away(line, range))));
}
const nearLines = 3;

describe("a flush or fence that is missing", () => {
  it.each(rows)("$guest $mistake", async ({ guest, mistake, inside }) => {
    const program = [checkGuest(guest, mistake), pool];
    const findings = judgedRobust(program).findings;
    const errors = findings.filter(({ rule }) => rule.severity === "error");
    const functions = errors.flatMap(({ frames }) => frames.map((frame) => frame.function ?? ""));
    expect(functions.some((name) => name.includes(inside))).toBe(true);
    const source = checkSource(guest);
    const told = errors.map(({ says }) => says).join("\n");
    expect(Math.min(...errors.map((error) => distance(error, source, mistake))), told).toBeLessThanOrEqual(nearLines);
    const foundWith = async (patches: readonly Patch[]) => judgedRobust(program, { patches }).findings;
    const [first] = await verifyFixes(errors.slice(0, 1), foundWith);
    expect(first!.order!.fix?.verified).toBe(true);
    const { fixed, left, patches } = await fixPoint(findings, foundWith);
    expect(left).toEqual([]);
    expect(fixed.length).toBeGreaterThan(0);
    const after = explored(program, { patches }).plan.findings();
    expect(after.filter(({ order }) => order !== undefined)).toEqual([]);
  });
});

/** A log whose records are told by their checksums: it is correct, and reads what is not persisted yet. */
const unordered: ReadonlySet<string> = new Set(["ringlog"]);
const guests = [
  "accounts",
  "allocator",
  "array",
  "btree",
  "hashmap",
  "list",
  "locked",
  "queue",
  "redolog",
  "undolog",
  "ringlog",
];

describe("without a mistake", () => {
  it.each(guests.filter((guest) => env["SEEDED"] === "all" || guest === "btree"))("%s", (guest) => {
    const { findings } = judgedRobust([checkGuest(guest, undefined), pool]);
    expect(findings.length > 0).toBe(unordered.has(guest));
  });
});
