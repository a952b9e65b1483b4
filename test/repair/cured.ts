/** A repaired guest: its patches do no harm, each of them is needed, and the patched source is clean when it is built. */
import { expect } from "vitest";
import { refusalText } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import type { Patch } from "../../src/machine/index.ts";
import { Subject, type SubjectOptions } from "../../src/session/subject/index.ts";
import { eventsBetween, type TraceEvent } from "../../src/trace/events/index.ts";
import { errorsOf, type Mended, PatchedGuests } from "./mending.ts";
import type { RepairRow } from "./rows.ts";

export async function expectCured(row: RepairRow, mended: Mended): Promise<void> {
  expect(mended.refusals.map(refusalText)).toEqual([]);
  expect(mended.fixes).not.toEqual([]);
  expectNoHarm(mended);
  await expectEachNeeded(mended);
  await expectCleanWhenBuilt(row, mended);
}

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
