/**
 * How many failure points, crash states (Yat), executions of Jaaru's and recoveries of ours there are: pinned, Jaaru's
 * formula held against running its way, and exploration against every crash state one by one where these are few.
 */
import { describe, expect, it } from "vitest";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { expectSlowTwins, explored, pool } from "./support.ts";

type Counts = readonly [points: number, yat: string, jaaru: string, ours: number];

function counted(result: ReturnType<typeof explored>): Counts {
  const { points, yatStates, jaaruExecutions, executions, openStates } = result.statistics;
  expect(openStates).toBe(0);
  expectSlowTwins(result);
  return [points, yatStates, jaaruExecutions!, executions];
}

const flags = ["-O1", "-g", "-static"];

describe("the figures", () => {
  const figures = compileGuest("explore/figures.c", flags);
  it.each<readonly [string, string, Counts]>([
    // Jaaru's Figure 4: a commit store. The undisturbed recovery is one of ours.
    ["add-child", "read-child", [3, "5", "4", 2]],
    // Jaaru's Figures 2 and 3, read x, then y.
    ["interval", "read-interval", [2, "8", "8", 7]],
    // PSan's Figure 2.
    ["weak", "read-weak", [1, "9", "9", 9]],
  ])("%s, %s", (run, recover, counts) => {
    const commands = { setup: [figures, "setup", pool], recover: [figures, recover, pool] };
    expect(counted(explored([figures, run, pool], commands))).toEqual(counts);
  });
});

describe("the guests of check", () => {
  it.each<readonly [string, string | undefined, Counts]>([
    ["accounts", undefined, [7, "19", "10", 4]],
    ["accounts", "HALF_DONE", [7, "13", "13", 7]],
    ["accounts", "LOST_UPDATE", [7, "37", "25", 10]],
    ["allocator", undefined, [32, "1063001", "55", 33]],
    ["allocator", "HANG", [32, "1210398", "119", 60]],
    ["array", undefined, [13, "53", "19", 13]],
    ["array", "MISSING_FLUSH", [13, "3664", "148", 58]],
    ["btree", undefined, [29, "379135", "43", 29]],
    ["btree", "MISSING_FENCE", [15, "758213", "173", 173]],
    ["hashmap", undefined, [29, "66635", "45", 31]],
    ["hashmap", "LOST_ACK", [29, "66637", "47", 33]],
    ["list", undefined, [21, "51", "28", 15]],
    ["list", "HANG", [26, "61", "38", 20]],
    ["locked", undefined, [19, "39", "30", 12]],
    ["locked", "UNLOCKED", [18, "39", "30", 13]],
    ["queue", undefined, [19, "415", "31", 25]],
    ["queue", "LOST_ACK", [19, "1471", "127", 79]],
    ["redolog", undefined, [26, "2619", "38", 19]],
    // libc copies with AVX, whose stores tear in any order: "164", 145 with --cpu v2.
    ["redolog", "EARLY_CLEAR", [20, "4335", "191", 172]],
    ["undolog", undefined, [40, "120", "59", 25]],
    ["undolog", "HANG", [35, "1141", "322", 121]],
  ])("%s %s", (name, bug, counts) => {
    expect(counted(explored([checkGuest(name, bug), checkPool]))).toEqual(counts);
  });
});

describe("N lines behind a commit store", () => {
  const lines = compileGuest("explore/lines.c", flags);
  const commands = (recover: string, n: number) => ({
    setup: [lines, "setup", pool, `${n}`],
    recover: [lines, recover, pool, `${n}`],
  });
  it.each([8, 64, 512, 4096])("%i of them take two recoveries", (n) => {
    const { statistics } = explored([lines, "run", pool, `${n}`], commands("guarded", n));
    const { points, executions, yatStates } = statistics;
    expect([points, executions, yatStates]).toEqual([3, 2, `${2n ** BigInt(n) + 3n}`]);
  });
  it("without the guard, as many as there are sequences of values read", () => {
    expect(counted(explored([lines, "run", pool, "8"], commands("unguarded", 8)))).toEqual([3, "259", "258", 256]);
  });
});
