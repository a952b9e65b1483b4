/**
 * Seeded mistakes of guests/check repaired: verified in the running code, patched in source, built again at two levels of
 * optimisation, and clean. Also that no insertion does harm, and that each is needed. SEEDED=all takes every row (`make seeded`).
 */
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Fix, fixText, refusalText } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { Subject } from "../../src/subject/index.ts";
import { eventsBetween, type TraceEvent } from "../../src/trace/index.ts";
import type { Patch } from "../../src/vm/index.ts";
import { type Backend, checkGuest, pool } from "../check/guests.ts";
import { type MistakeClass, seededMistakes } from "../check/seeded.ts";
import { guestSource } from "../support/programs.ts";
import { subjectOf } from "../support/subject.ts";
import { errorsOf, mend, rebuild } from "./mending.ts";

const sourceOf = (guest: string): string =>
  [`check/${guest}.c`, `check/${guest}.cpp`].find((path) => existsSync(guestSource(path)))!;

const curable: ReadonlySet<MistakeClass> = new Set(["missing flush", "missing fence", "lost acknowledged write"]);
const incurable: ReadonlySet<MistakeClass> = new Set(["wrong order", "non-atomic update"]);

/** What `make test` takes. */
const sample: ReadonlySet<string> = new Set([
  "array MISSING_FLUSH",
  "list MISSING_FENCE",
  "queue LOST_ACK",
  "array WRONG_ORDER",
  "list NON_ATOMIC",
]);

/**
 * Where a store goes is computed by a call, which is not made again to flush it, or the store is part of a return: these are
 * verified, and not in the source.
 */
const withoutSource: ReadonlySet<string> = new Set([
  "hashmap LOST_ACK",
  "hashmap MISSING_FLUSH",
  "btree MISSING_FLUSH",
  "allocator MISSING_FLUSH",
  "redolog WRONG_ORDER",
]);

/** Their stores are in the right order, and only what makes them durable comes too late: an earlier flush cures that. */
const lateFlush: ReadonlySet<string> = new Set(["undolog EARLY_COMMIT", "redolog WRONG_ORDER", "redolog EARLY_CLEAR"]);

const rows = seededMistakes
  .filter(({ options }) => options.length === 0)
  .filter(({ guest, mistake }) => process.env.SEEDED === "all" || sample.has(`${guest} ${mistake}`))
  .map(({ guest, mistake, class: kind }) => ({
    guest,
    mistake,
    kind: lateFlush.has(`${guest} ${mistake}`) ? ("missing flush" as const) : kind,
  }));

const buildFlags: Readonly<Record<Backend, readonly string[]>> = {
  raw: ["-g", "-static"],
  libpmem: ["-g", "-DPM_LIBPMEM", "-lpmem"],
};

async function isMended(guest: string, mistake: string, backend: Backend): Promise<void> {
  const { fixes, refusals, placed, changes } = await mend([checkGuest(guest, mistake, backend), pool]);
  expect(refusals.map(refusalText)).toEqual([]);
  expect(fixes).not.toEqual([]);
  if (withoutSource.has(`${guest} ${mistake}`)) return;
  expect(placed.flat().map(({ unplaced }) => unplaced)).toEqual(placed.flat().map(() => undefined));
  for (const level of ["-O0", "-O2"]) {
    const program = rebuild(changes, sourceOf(guest), [level, `-DBUG_${mistake}`, ...buildFlags[backend]]);
    expect((await errorsOf(subjectOf([program, pool]).options)).map(({ frames }) => frames[0])).toEqual([]);
  }
}

describe("is repaired", () => {
  it.each(rows.filter(({ kind }) => curable.has(kind)))("$guest $mistake", async ({ guest, mistake }) => {
    await isMended(guest, mistake, "raw");
  });

  it("array MISSING_FENCE on libpmem, in libpmem's words", async () => {
    await isMended("array", "MISSING_FENCE", "libpmem");
  });
});

describe("is refused", () => {
  it.each(rows.filter(({ kind }) => incurable.has(kind)))("$guest $mistake", async ({ guest, mistake }) => {
    const { fixes, refusals, changes } = await mend([checkGuest(guest, mistake), pool]);
    expect(fixes).toEqual([]);
    expect(changes).toEqual([]);
    expect(refusals).not.toEqual([]);
    for (const refusal of refusals) expect(refusalText(refusal)).toMatch(/wrong order|not atomic/);
  });
});

/** Epochs tell which machine made a page, not what is in it. */
const filesText = (files: ReadonlyMap<string, unknown>): string =>
  JSON.stringify([...files], (key, value) =>
    key === "epoch" ? undefined : value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  );

/** A run of the patched program, and the same without what the patches inserted. */
function eventsOf(program: readonly string[], patches: readonly Patch[]) {
  const { options } = subjectOf(program);
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

it("does no harm, and leaves out nothing that is needed", async () => {
  const program = [checkGuest("array", "MISSING_FLUSH"), pool];
  const { patches, fixes, placed } = await mend(program);
  expect(patches.length).toBeGreaterThan(1);
  const plain = eventsOf(program, []);
  const patched = eventsOf(program, patches);
  expect(patched.inserted).toBeGreaterThan(0);
  expect({ ...patched, inserted: 0 }).toEqual(plain);
  const { options } = subjectOf(program);
  for (const without of patches) {
    const rest = patches.filter((patch) => patch !== without);
    expect(await errorsOf({ ...options, patches: rest })).not.toEqual([]);
  }
  expect(fixes.map((fix: Fix, index) => fixText(fix, placed[index]!))).toMatchInlineSnapshot(`
    [
      "fixed: array.c:42 in fill: recovery fails after a crash
      A flush makes the store durable before anything depends on it, and does no harm (Theorem 2).
      Verified in the running code: the same check finds neither this nor anything new.
      after array.c:42 in fill: flush(&cell->value, sizeof(cell->value));
      after array.c:43 in fill: flush(&cell->inverse, sizeof(cell->inverse));",
    ]
  `);
});
