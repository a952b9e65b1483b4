/**
 * `fix --durable` on guests without their flushes: with the fences that they have, the generated flushes are as many as those written
 * by hand, and in place at least twice as many. SEEDED=all takes every guest (`make seeded`).
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { durableText } from "../../src/engines/index.ts";
import type { SubjectOptions } from "../../src/session/subject/index.ts";
import { pool } from "../check/guests.ts";
import { subjectOf } from "../support/subject.ts";
import { buildIn, errorsOf, executed, mended, PatchedGuests } from "./mending.ts";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true });
});

function copyOfGuests(): string {
  const folder = mkdtempSync(join(tmpdir(), "blackout-durable-"));
  made.push(folder);
  cpSync(resolve("guests"), join(folder, "guests"), { recursive: true });
  return join(folder, "guests");
}

/** What takes the place of a guest's flushes, so that those of a patch are none of them. */
const macros = "#define UNFLUSHED(...) ((void)0)\n#define FENCED(...) fence()\n";

/** The guest without its flushes, and with its fences. */
function withoutFlushes(source: string): string {
  const folder = copyOfGuests();
  const file = join(folder, source);
  const text = readFileSync(file, "utf8")
    .replace(/\bflush\(/g, "UNFLUSHED(")
    .replace(/\bpersist\(/g, "FENCED(");
  writeFileSync(file, macros + text);
  return folder;
}

const sum = (count: { readonly flushes: number; readonly fences: number }): number => count.flushes + count.fences;

interface Guest {
  readonly source: string;
  /** The recovery's words after the pool; none for a guest that recovers when it runs again. */
  readonly check?: string;
  /** Of the guest as it is, without and with the flushes that were generated for it, and with those in place. */
  readonly byHand: readonly [flushes: number, fences: number];
  readonly generated: readonly [flushes: number, fences: number];
  readonly inPlace: readonly [flushes: number, fences: number];
}

/** Their functions work on ordinary memory, too. */
const sharing: readonly Guest[] = [
  { source: "repair/cache.c", check: "check", byHand: [16, 16], generated: [16, 16], inPlace: [128, 16] },
  { source: "repair/editor.c", check: "check", byHand: [13, 13], generated: [13, 13], inPlace: [102, 13] },
  { source: "repair/ledger.c", check: "check", byHand: [36, 24], generated: [36, 24], inPlace: [132, 24] },
];

/** Theirs work on persistent memory alone, so that nothing is to be hoisted. */
const persistent: readonly Guest[] = [
  { source: "check/btree.c", byHand: [45, 28], generated: [45, 28], inPlace: [45, 28] },
  { source: "check/hashmap.cpp", byHand: [34, 28], generated: [38, 28], inPlace: [38, 28] },
  { source: "check/redolog.cpp", byHand: [52, 26], generated: [52, 26], inPlace: [52, 26] },
  // A chunk is filled in a loop, whose flush goes behind it.
  { source: "check/allocator.c", byHand: [53, 31], generated: [53, 31], inPlace: [207, 31] },
];

const optionsOf = (program: string, { check }: Guest): SubjectOptions =>
  subjectOf([program, pool], check === undefined ? {} : { recover: [program, pool, check] }).options;

const counted = ([flushed, fenced]: readonly [number, number]) => ({ flushes: flushed, fences: fenced });

async function expectCounts(guest: Guest, isInPlace: boolean): Promise<void> {
  const folder = withoutFlushes(guest.source);
  const program = buildIn(folder, guest.source, ["-static"], "-O0");
  const options = optionsOf(program, guest);
  expect((await errorsOf(options)).length).toBeGreaterThan(0);
  const { changes, left } = await mended(options, folder, isInPlace, (repair) => repair.durable());
  expect(left).toEqual([]);
  const patched = new PatchedGuests(changes, folder);
  const repaired = optionsOf(patched.build({ source: guest.source, flags: ["-static"] }, "-O0"), guest);
  expect(await errorsOf(repaired)).toEqual([]);
  expect(executed(repaired)).toEqual(counted(isInPlace ? guest.inPlace : guest.generated));
  patched.remove();
}

const all = [...sharing, ...persistent];
const takesAll = process.env.SEEDED === "all";
const taken = takesAll ? all : sharing.slice(0, 1);

describe("flushes before the fences that are there", () => {
  it.each(all)("$source: the counts are within a tenth of those by hand", (guest) => {
    const [byHand, generated] = [sum(counted(guest.byHand)), sum(counted(guest.generated))];
    expect(Math.abs(generated - byHand)).toBeLessThanOrEqual(byHand / 10);
  });

  it.each(sharing)("$source: and in place at least twice as many", ({ byHand, inPlace }) => {
    expect(sum(counted(inPlace))).toBeGreaterThanOrEqual(2 * sum(counted(byHand)));
  });

  it.each(taken)("$source: by hand", (guest) => {
    const program = buildIn(copyOfGuests(), guest.source, ["-static"], "-O0");
    expect(executed(optionsOf(program, guest))).toEqual(counted(guest.byHand));
  });

  it.each(taken)("$source: generated", (guest) => expectCounts(guest, false));
  if (takesAll) it.each(taken)("$source: in place", (guest) => expectCounts(guest, true));
});

it("tells where they go and which copies of functions have them", async () => {
  const folder = withoutFlushes("repair/cache.c");
  const guest = sharing[0]!;
  const options = optionsOf(buildIn(folder, guest.source, ["-static"], "-O0"), guest);
  const { fixes, placed } = await mended(options, folder, false, (repair) => repair.durable());
  expect(durableText(fixes, placed.flat())).toMatchInlineSnapshot(`
    "flushed: what is stored and not flushed before the next fence
      A flush makes each store durable at that fence, and does no harm (Theorem 2).
      Scores: cache.c:31 in put 0, cache.c:35 in keep 1; keep calls a copy of put that flushes.
      after cache.c:31 in put: flush(&table->cells[at].key, sizeof(table->cells[at].key));
      after cache.c:35 in keep: put_PM(...);
      after cache.c:38 in keep: flush(&table->kept, sizeof(table->kept));"
  `);
});
