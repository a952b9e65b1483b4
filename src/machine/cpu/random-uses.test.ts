/** What loads and stores use of a watched file, in both tiers, against a twin that keeps a flag for every half of a word. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { compileGuest, finish, loadGuest } from "../../../test/support/programs.ts";

const bytes = 8192;
const folder = mkdtempSync(join(tmpdir(), "blackout-random-uses-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "watched");
writeFileSync(file, new Uint8Array(bytes));

/** The guest's numbers (guests/machine/random-uses.c). */
function* drawn(seed: number): Generator<number> {
  for (let state = seed; ; yield state >>> 0) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
}

/** Halves of words in the order of their first use, those left out that were overwritten whole before they were read. */
function expected(seed: number): number[] {
  const used = new Set<number>();
  const told: number[] = [];
  const read = (at: number, size: number): void => {
    for (let half = Math.floor(at / 4); half * 4 < at + size; half++) if (!used.has(half)) told.push(half);
    for (let half = Math.floor(at / 4); half * 4 < at + size; half++) used.add(half);
  };
  const write = (at: number, size: number): void => {
    for (let half = Math.ceil(at / 4); half * 4 + 4 <= at + size; half++) used.add(half);
  };
  const numbers = drawn(seed);
  const next = (): number => numbers.next().value as number;
  for (let i = 0; i < 6000; i++) {
    const [what, place] = [next(), next() % (bytes - 16)];
    const size = 1 << (what % 5);
    const at = ((what >>> 8) & 3) !== 0 ? place & ~(size - 1) : place;
    if ((what >>> 16) % 8 === 0) write(at, size);
    else read(at, size);
  }
  read(0, 8);
  return told;
}

test.each([
  ["interpreted", 0, 1],
  ["interpreted", 0, 2],
  ["compiled", 3, 1],
  ["compiled", 3, 2],
  ["compiled", 3, 3],
])("%s (hot after %i, seed %i)", (_tier, hotAfter, seed) => {
  const guest = loadGuest([compileGuest("machine/random-uses.c"), String(seed), file], { hotAfter });
  const halves: number[] = [];
  guest.machine.watch({
    isWatched: (path) => path === file,
    halves: true,
    words: (_path, numbers) => halves.push(...numbers),
    name: () => {},
    listing: () => {},
  });
  expect(finish(guest)).toMatchObject({ outcome: { kind: "exit", code: 7 } });
  guest.machine.watch(undefined);
  expect(halves).toEqual(expected(seed));
});
