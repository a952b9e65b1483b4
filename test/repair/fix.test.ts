/**
 * Seeded mistakes of our guests repaired: verified in the running code, patched in source, built again at two levels of
 * optimisation, and clean. No insertion does harm, and each is needed. SEEDED=all takes every row (`make seeded`).
 */
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { fixText, refusalText } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { Subject, type SubjectOptions } from "../../src/subject/index.ts";
import { eventsBetween, type TraceEvent } from "../../src/trace/index.ts";
import type { Patch } from "../../src/vm/index.ts";
import { errorsOf, type Mended, mend, PatchedGuests } from "./mending.ts";
import { curable, incurable, type RepairRow } from "./rows.ts";
import { isTabled, tableRow } from "./table.ts";

/** What `make test` takes. */
const sample: ReadonlySet<string> = new Set(["array MISSING_FLUSH", "rules/missing-flush/bad", "array WRONG_ORDER"]);
const taken = (rows: readonly RepairRow[]) =>
  rows.filter(({ name }) => process.env.SEEDED === "all" || sample.has(name));

/** The table in the docs; tools/repair-table.ts writes it. */
const documented = readFileSync("docs/fixes.md", "utf8").split("\n");

/** Rows on libpmemobj take minutes of a processor, and more of a busy computer. */
const ROW_TIMEOUT = 3_600_000;

/** Each once. */
const known = new Map<string, Promise<Mended>>();
function mendedRow(row: RepairRow): Promise<Mended> {
  if (!known.has(row.name)) known.set(row.name, timed(row));
  return known.get(row.name)!;
}

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

/** Epochs tell which machine made a page, not what is in it. */
const filesText = (files: ReadonlyMap<string, unknown>): string =>
  JSON.stringify([...files], (key, value) =>
    key === "epoch" ? undefined : value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  );

/** A run of the patched program, and the same without what the patches inserted. */
function eventsOf(options: SubjectOptions, patches: readonly Patch[]) {
  const run = new Subject({ ...options, patches }, realPorts()).trace([]);
  const events = [...eventsBetween(run.trace, 0, run.trace.count)];
  const own = events.filter((event) => !("patch" in event)).map(({ seq: _seq, ...event }: TraceEvent) => event);
  return {
    own,
    inserted: events.length - own.length,
    stdout: run.stdout,
    outcome: run.outcome,
    files: filesText(run.finalFiles),
  };
}

function expectNoHarm({ options, patches }: Mended): void {
  const patched = eventsOf(options, patches);
  expect(patched.inserted).toBeGreaterThan(0);
  expect({ ...patched, inserted: 0 }).toEqual(eventsOf(options, []));
}

async function expectEachNeeded({ options, patches }: Mended): Promise<void> {
  for (const without of patches) {
    const rest = { ...options, patches: patches.filter((patch) => patch !== without) };
    const found = await errorsOf(rest);
    // Some show only at a later instance of a failure point.
    expect(found.length > 0 ? found : await errorsOf(rest, true), JSON.stringify(without)).not.toEqual([]);
  }
}

async function expectCleanWhenBuilt(row: RepairRow, { placed, changes }: Mended): Promise<void> {
  expect(placed.flat().map(({ unplaced }) => unplaced)).toEqual(placed.flat().map(() => undefined));
  const patched = new PatchedGuests(changes);
  for (const level of ["-O0", "-O2"])
    expect((await patched.errorsAt(row, level)).map(({ frames }) => frames[0])).toEqual([]);
  patched.remove();
}

it("has at least sixty rows that can be repaired", () => {
  expect(new Set(curable.map(({ name }) => name)).size).toBeGreaterThanOrEqual(60);
});

it("every row is in the table of the docs, once", () => {
  const named = documented.flatMap((line) => /^\| (.*?) \([\w-]+\.\w+\)/.exec(line)?.[1] ?? []);
  expect(named).toEqual(curable.filter(isTabled).map(({ name }) => name));
});

describe("is repaired", () => {
  it.each(taken(curable))("$name", { timeout: ROW_TIMEOUT }, async (row) => {
    const mended = await mendedRow(row);
    expect(mended.refusals.map(refusalText)).toEqual([]);
    expect(mended.fixes).not.toEqual([]);
    if (isTabled(row)) expect(documented).toContain(tableRow(row, mended));
    expectNoHarm(mended);
    await expectEachNeeded(mended);
    await expectCleanWhenBuilt(row, mended);
  });
});

describe("is refused", () => {
  it.each(taken(incurable))("$name", { timeout: ROW_TIMEOUT }, async (row) => {
    const { fixes, refusals, changes } = await mend(row);
    expect(fixes).toEqual([]);
    expect(changes).toEqual([]);
    expect(refusals).not.toEqual([]);
    for (const refusal of refusals) expect(refusalText(refusal)).toMatch(/wrong order|not atomic/);
  });
});

it("says what it did and why that is safe", async () => {
  const { fixes, placed } = await mendedRow(curable.find(({ name }) => name === "array MISSING_FLUSH")!);
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
