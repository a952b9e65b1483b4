/** The kinds of mistakes that Jaaru found in RECIPE and PMDK (Figures 12, 13 and 15), in a program of ours: each in its function. */
import { describe, expect, it } from "vitest";
import { compileGuest } from "../support/programs.ts";
import { explored, pool } from "./support.ts";

function found(mistake: string | undefined) {
  const flags = ["-O1", "-g", "-static", ...(mistake === undefined ? [] : [`-DBUG_${mistake}`])];
  const guest = compileGuest("explore/index.c", flags);
  const { plan, statistics } = explored([guest, pool], { recover: [guest, pool, "recover"] });
  expect(statistics.openStates).toBe(0);
  return plan.findings().map(({ rule, frames }) => `${rule.id} ${frames[0]?.function}`);
}

describe("is found", () => {
  it.each([
    ["a constructor that does not flush", "CONSTRUCTOR", "recovery-fails construct_root"],
    ["a flush of the object that is referred to, not of the reference", "POINTER", "recovery-fails insert"],
    ["an allocator's metadata that is not flushed", "ALLOCATOR", "recovery-fails allocate"],
    ["a crash while garbage is collected", "COLLECTED", "recovery-fails take_out_first"],
    ["a pool that can no longer be opened", "POOL_OPEN", "recovery-fails create"],
    ["a recovery that uses what was in the memory of the process", "VOLATILE", "recovery-killed operations"],
    ["a recovery that waits for ever", "ENDLESS", "recovery-hangs operations"],
  ])("%s", (_kind, mistake, told) => {
    expect(found(mistake)).toContain(told);
  });
});

it("nothing is found without", () => {
  expect(found(undefined)).toEqual([]);
});
