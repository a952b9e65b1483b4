/**
 * Failures that `blackout check` finds by its own crash states, told apart by the exploration that it goes on with: each carries its pair
 * of stores and what puts them in order, or is told to fail under strict persistency too. SEEDED=all takes every row (`make seeded`).
 */
import { env } from "node:process";
import { afterAll, expect, it } from "vitest";
import { reportOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";
import { seededMistakes } from "./seeded.ts";

/** What `make test` takes. */
const sample: ReadonlySet<string> = new Set(["array MISSING_FENCE", "list WRONG_ORDER", "queue LOST_ACK"]);
const isAll = env["SEEDED"] === "all";
const rows = seededMistakes.filter(({ guest, mistake }) => isAll || sample.has(`${guest} ${mistake}`));

/** Errors of all rows. */
const joined = { ordered: 0, strict: 0, owed: 0 };
afterAll(() => expect(Math.min(joined.ordered, joined.strict)).toBeGreaterThanOrEqual(isAll ? 20 : 1));

it.each(rows)("$guest $mistake", async ({ guest, mistake, class: kind, options }) => {
  const words = ["--no-rules", ...options, "--", checkGuest(guest, mistake), pool];
  const { findings } = await reportOf("check and explore", words);
  // Stores out of order that belong to a failure are not told once more.
  expect(findings.map(({ rule }) => rule)).not.toContain("not-robust");
  for (const { severity, robustness, strict, cure, cut, places } of findings) {
    if (severity !== "error") continue;
    const of = robustness !== undefined ? "ordered" : strict ? "strict" : "owed";
    joined[of]++;
    if (of === "ordered") expect(cure?.suggestions).not.toEqual([]);
    // What is neither was owed to somebody who was told: no store is late, an output is early.
    if (of === "owed") expect(cut?.before === "end" || !places.some(({ role }) => role === "survives")).toBe(true);
    if (kind === "missing flush" || kind === "missing fence") expect(of).toBe("ordered");
  }
});
