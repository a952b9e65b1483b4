/**
 * Seeded mistakes of our guests repaired: verified in the running code, patched in source, built again at two levels of
 * optimisation, and clean. No insertion does harm, and each is needed. SEEDED=all takes every row (`make seeded`).
 */
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { fixText, refusalText } from "../../src/engines/index.ts";
import { expectCured } from "./cured.ts";
import { type Mended, mend } from "./mending.ts";
import { curable, incurable, type RepairRow } from "./rows.ts";
import { tableRow } from "./table.ts";

/** What `make test` takes. */
const sample: ReadonlySet<string> = new Set([
  ...["array MISSING_FLUSH", "rules/missing-flush/bad", "array WRONG_ORDER"],
  // Two mistakes that hide each other, in a program that calls intrinsics alone.
  "repair/mailbox",
]);
const taken = (rows: readonly RepairRow[]) =>
  rows.filter(({ name }) => process.env.SEEDED === "all" || sample.has(name));

/** The table in the docs; tools/repair-table.ts writes it. */
const documented = readFileSync("docs/fixes.md", "utf8").split("\n");

/** Rows on libpmemobj take minutes of a processor, and more of a busy computer. */
const ROW_TIMEOUT = 3_600_000;

/** Seconds of a processor for each repair, told and never judged. */
const seconds: number[] = [];
async function timed(row: RepairRow): Promise<Mended> {
  const before = process.cpuUsage();
  const mended = await mend(row);
  const { user, system } = process.cpuUsage(before);
  seconds.push((user + system) / 1e6);
  return mended;
}
afterAll(() => {
  const total = seconds.reduce((sum, one) => sum + one, 0);
  console.log(`${seconds.length} programs were repaired in ${total.toFixed(0)} s of a processor`);
});

it("has at least sixty rows that can be repaired", () => {
  expect(new Set(curable.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60);
});

it("every row is in the table of the docs, once", () => {
  const named = documented.flatMap((line) => /^\| (.*?) \([\w-]+\.\w+\)/.exec(line)?.[1] ?? []);
  expect(named).toEqual([...curable, ...incurable].map(({ name }) => name));
});

describe("is repaired", () => {
  it.each(taken(curable))("$name", { timeout: ROW_TIMEOUT }, async (row) => {
    const mended = await timed(row);
    expect(documented).toContain(tableRow(row, mended));
    await expectCured(row, mended);
  });
});

describe("is refused", () => {
  it.each(taken(incurable))("$name", { timeout: ROW_TIMEOUT }, async (row) => {
    const mended = await mend(row);
    const { fixes, refusals, changes } = mended;
    expect(documented).toContain(tableRow(row, mended));
    expect(fixes).toEqual([]);
    expect(changes).toEqual([]);
    expect(refusals).not.toEqual([]);
    for (const refusal of refusals) expect(refusalText(refusal)).toMatch(/wrong order|not atomic/);
  });
});

it("says what it did and why that is safe", async () => {
  const { fixes, placed } = await timed(curable.find(({ name }) => name === "array MISSING_FLUSH")!);
  expect(fixes.map((fix, index) => fixText(fix, placed[index]!))).toMatchInlineSnapshot(`
    [
      "fixed: array.c:42 in fill: recovery fails after a crash
      A flush makes the store durable before anything depends on it, and does no harm (Theorem 2).
      Verified in the running code: the same check finds neither this nor anything new.
      after array.c:42 in fill: flush(&cell->value, sizeof(cell->value));
      after array.c:43 in fill: flush(&cell->inverse, sizeof(cell->inverse));",
    ]
  `);
});
