/** What a run uses of a watched file, and standing still right before it, in both tiers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compileGuest, finish, loadGuest } from "../../../test/support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-uses-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "watched");
writeFileSync(
  file,
  Uint8Array.from({ length: 8192 }, (_, i) => i * 7),
);

const load = (hotAfter: number) => loadGuest([compileGuest("machine/uses.c"), file], { hotAfter });

const tiers = [
  ["interpreted", 0],
  ["compiled", 3],
] as const;

describe.each(tiers)("%s", (_tier, hotAfter) => {
  test("words are told in the order of their first use, unless overwritten before", () => {
    const guest = load(hotAfter);
    const words: number[] = [];
    const names = new Set<string>();
    guest.machine.watch({
      isWatched: (path) => path === file,
      words: (_path, numbers) => words.push(...numbers),
      name: (name) => names.add(name),
      listing: () => {},
    });
    finish(guest);
    const mapped = [32, 33, 34, 64, 127, 128, 511, 512, 256, 257, 258, 376, 378, 2, 520];
    expect(words).toEqual([...mapped, 800, 801]);
    expect(names).toContain("watched");
  });

  test("a run stops before its first use, by an instruction or a call, and goes on as if it had not", () => {
    const straight = finish(load(hotAfter));
    const guest = load(hotAfter);
    const { machine } = guest;
    machine.watch({ isWatched: (path) => path === file, words: () => {}, name: () => {}, listing: () => {} });
    expect(machine.runToUse((name) => name === "watched", Number.MAX_SAFE_INTEGER)).toEqual({ kind: "use" });
    expect(guest.output(1), "it is not mapped yet").toBe("");
    expect(machine.runToUse(() => false, Number.MAX_SAFE_INTEGER)).toEqual({ kind: "use" });
    expect(guest.output(1)).toBe("ready\n");
    const snapshot = machine.snapshot();
    expect(finish(guest)).toEqual(straight);
    machine.restore(snapshot);
    expect(finish(guest)).toEqual(straight);
  });

  test("bytes that are laid under a standing run are what it reads", () => {
    const guest = load(hotAfter);
    const { machine } = guest;
    machine.watch({ isWatched: (path) => path === file, words: () => {}, name: () => {}, listing: () => {} });
    machine.runToUse(() => false, Number.MAX_SAFE_INTEGER);
    const line = new Uint8Array(64).fill(0x41);
    machine.layLines([0, 256, 4096 + 64, 6400].map((offset) => ({ path: file, index: offset / 64, bytes: line })));
    const changed = finish(guest).stdout;
    writeFileSync(join(folder, "other"), laidOver([0, 256, 4096 + 64, 6400], line));
    expect(changed).toBe(finish(loadGuest([compileGuest("machine/uses.c"), join(folder, "other")])).stdout);
    expect(changed).toContain("AAAA");
  });
});

function laidOver(offsets: readonly number[], line: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from({ length: 8192 }, (_, i) => i * 7);
  for (const offset of offsets) bytes.set(line, offset);
  return bytes;
}
