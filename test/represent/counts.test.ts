/** How many behaviours, groups, tested behaviours, crash states and recoveries there are: pinned. `make seeded` counts all. */
import { expect, it } from "vitest";
import { checkGuest, pool } from "../check/guests.ts";
import { represented } from "./support.ts";

type Counts = readonly [behaviours: number, groups: number, tested: number, states: string, recoveries: number];

const guests: readonly (readonly [guest: string, mistake: string | undefined, counts: Counts])[] = [
  ["accounts", undefined, [9, 3, 3, "6", 3]],
  ["accounts", "HALF_DONE", [9, 3, 3, "4", 4]],
  ["accounts", "LOST_UPDATE", [9, 3, 3, "29", 8]],
  ["allocator", undefined, [49, 6, 12, "11830", 16]],
  ["allocator", "EARLY_RELEASE", [52, 5, 14, "11832", 16]],
  ["array", undefined, [24, 4, 5, "16", 5]],
  ["array", "NON_ATOMIC", [24, 4, 5, "16", 7]],
  ["btree", undefined, [121, 4, 10, "378093", 15]],
  ["btree", "MISSING_FENCE", [121, 4, 10, "756158", 102]],
  ["hashmap", undefined, [76, 10, 11, "66596", 18]],
  ["hashmap", "LOST_ACK", [76, 10, 11, "66597", 19]],
  ["list", undefined, [19, 4, 6, "20", 7]],
  ["list", "HANG", [28, 6, 7, "26", 10]],
  ["locked", undefined, [18, 2, 10, "38", 12]],
  ["locked", "UNLOCKED", [18, 3, 10, "38", 13]],
  ["queue", undefined, [33, 5, 5, "134", 6]],
  ["queue", "LOST_ACK", [33, 5, 5, "189", 39]],
  ["redolog", undefined, [115, 8, 9, "358", 5]],
  ["redolog", "EARLY_CLEAR", [109, 7, 8, "420", 21]],
  ["undolog", undefined, [76, 5, 13, "55", 12]],
];

it.each(guests.filter((_, i) => process.env["SEEDED"] === "all" || i % 3 === 1))("%s %s", (guest, mistake, counts) => {
  const { statistics } = represented([checkGuest(guest, mistake), pool]);
  const { behaviours, groups, behavioursTested, crashStates, executions } = statistics;
  expect([behaviours, groups, behavioursTested, crashStates, executions]).toEqual(counts);
});
