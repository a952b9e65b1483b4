/**
 * Pools with objects of every kind, made natively by chance: what is read of their bytes is what libpmemobj says when it walks
 * through its objects itself (guests/leaks/objects.c), and what it read is what the answer depends on.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { describe, expect, it } from "vitest";
import { isPool, mappedAt } from "../../src/crash/states/pool-blocks.ts";
import { PoolWords, ReadHalves } from "../../src/crash/states/pool-words.ts";
import { unreachedObjects } from "../../src/crash/states/unreached.ts";
import type { FileContents } from "../../src/machine/index.ts";
import { compileGuest } from "../support/programs.ts";

const flags = ["-g", "-O1", "-lpmemobj"];
const seeds = env["SEEDED"] === "all" ? 40 : 3;

/** Words of bytes, and what was read of them. */
function wordsOf(bytes: Uint8Array) {
  const read = new ReadHalves();
  const readContents = (_: FileContents, offset: number, into: Uint8Array) =>
    into.set(bytes.subarray(offset, offset + into.length));
  return { words: new PoolWords({ readContents }, "pool", { size: bytes.length } as FileContents, read), read };
}

function unreachedIn(bytes: Uint8Array) {
  const { words, read } = wordsOf(bytes);
  const found = unreachedObjects([{ path: "pool", now: words, before: words }]);
  return { unreached: found.map(({ offset, size }) => `${offset} ${size}`), read };
}

/** What the native walk says of a copy. */
function natively(file: string, mapped: number): readonly string[] {
  const objects = compileGuest("leaks/objects.c", flags);
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  const told = execFileSync(objects, [copy, "many", String(mapped)], { encoding: "utf8" });
  rmSync(copy);
  return told.split("\n").filter((line) => line !== "");
}

function madePool<T>(seed: number, use: (file: string, made: number) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "blackout-pools-"));
  const file = join(folder, "pool");
  try {
    const made = execFileSync(compileGuest("leaks/many.c", flags), [file, String(seed)], { encoding: "utf8" });
    return use(file, Number(made));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("objects of a pool that nothing refers to", () => {
  it.each(Array.from({ length: seeds }, (_, seed) => seed))("are those of libpmemobj's own walk, seed %i", (seed) => {
    madePool(seed, (file, made) => {
      const bytes = readFileSync(file);
      const { words } = wordsOf(bytes);
      expect(isPool(words)).toBe(true);
      const { unreached } = unreachedIn(bytes);
      expect(unreached).toEqual(natively(file, mappedAt(words)));
      // Both kinds are among them: neither all nor none.
      expect(unreached.length).toBeGreaterThan(made / 10);
      expect(unreached.length).toBeLessThan((9 * made) / 10);
    });
  });

  it("depend on nothing that was not read", () => {
    madePool(7, (file) => {
      const bytes = readFileSync(file);
      const { unreached, read } = unreachedIn(bytes);
      const other = new Uint8Array(bytes.length).fill(0x5a);
      read.tell((_, halves) => {
        for (const half of halves) other.set(bytes.subarray(4 * half, 4 * half + 4), 4 * half);
      });
      expect(unreachedIn(other).unreached).toEqual(unreached);
    });
  });

  it("are none where the heap makes no sense, whatever it holds", () => {
    madePool(1, (file) => {
      const bytes = readFileSync(file);
      const heap = 0x3c0000;
      for (const value of [0, 0xff, 0x41]) {
        const damaged = Uint8Array.from(bytes).fill(value, heap - 0x80000);
        expect(unreachedIn(damaged).unreached).toEqual([]);
      }
    });
  });
});
