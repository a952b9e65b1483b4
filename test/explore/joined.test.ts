/**
 * Failures that exploration finds, told apart: those for which a flush or a fence is missing carry the pair of stores, the others fail
 * while stores persist in their order, too, which an exploration of a machine whose caches survive shows. SEEDED=all takes every row.
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import { checkGuest, pool } from "../check/guests.ts";
import { seededMistakes } from "../check/seeded.ts";
import { explored } from "./support.ts";

/** What `make test` takes. */
const sample: ReadonlySet<string> = new Set([
  "array NON_ATOMIC",
  "list MISSING_FLUSH",
  "list LOST_ACK",
  "queue NON_ATOMIC",
]);

const rows = seededMistakes
  .filter(({ options, guest }) => options.length === 0 && guest !== "ringlog")
  .filter(({ guest, mistake }) => env["SEEDED"] === "all" || sample.has(`${guest} ${mistake}`));

it.each(rows)("$guest $mistake", ({ guest, mistake, class: kind }) => {
  const program = [checkGuest(guest, mistake), pool];
  const findings = explored(program).plan.findings();
  expect(findings).not.toEqual([]);
  const isStrict = findings.some(({ crash }) => crash!.strict);
  const survives = explored(program, {}, { platform: "eadr" }).plan.findings();
  expect(isStrict).toBe(survives.length > 0);
  const ordered = findings.flatMap(({ order }) => order ?? []);
  if (kind === "missing flush" || kind === "missing fence") {
    expect(isStrict).toBe(false);
    expect(ordered.length).toBe(findings.length);
  }
  for (const { missing, kept, fix } of ordered) {
    expect(missing.mark.seq).toBeLessThan(kept.mark.seq);
    expect(fix?.inserts.length).toBeGreaterThan(0);
  }
  // What is neither was owed to somebody who was told: no store is late, an output is early.
  const owed = findings.filter(({ order, crash }) => order === undefined && !crash!.strict);
  for (const { crash } of owed) expect(crash!.before === "end" || crash!.kept.length === 0).toBe(true);
});
