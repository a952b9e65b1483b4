/**
 * The kinds of mistakes that Jaaru found in RECIPE and PMDK (Figures 12, 13 and 15), in a program of ours: each is told in its
 * function, at its own line, and as what it is.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileGuest, guestSource } from "../support/programs.ts";
import { expectSlowTwins, explored, isWhole, pool } from "./support.ts";

const source = readFileSync(guestSource("explore/index.c"), "utf8").split("\n");

function found(mistake: string | undefined) {
  const flags = ["-O1", "-g", "-static", ...(mistake === undefined ? [] : [`-DBUG_${mistake}`])];
  const guest = compileGuest("explore/index.c", flags);
  const result = explored([guest, pool], { recover: [guest, pool, "recover"] });
  expect(result.statistics.openStates).toBe(0);
  if (isWhole) expectSlowTwins(result);
  return result.plan.findings().map(({ rule, frames: [frame] }) => ({
    rule: rule.id,
    function: frame?.function,
    statement: source[frame!.line! - 1]!.trim().replace(/ *\/\*.*/, ""),
  }));
}

// biome-ignore format: columns stay aligned
describe("is found", () => {
  it.each([
    ["a constructor that does not flush",                     "CONSTRUCTOR", "recovery-fails",  "construct_root", "root->kind = 7;"],
    ["a flush of the object referred to, not the reference",  "POINTER",     "recovery-fails",  "insert",         "root->first = offset_of(node);"],
    ["an allocator's metadata that is not flushed",           "ALLOCATOR",   "recovery-fails",  "allocate",       "pool->next = offset + 64;"],
    ["a crash while garbage is collected",                    "COLLECTED",   "recovery-fails",  "take_out_first", "node->key = 0;"],
    ["a pool that can no longer be opened",                   "POOL_OPEN",   "recovery-fails",  "create",         "pool->magic = MAGIC;"],
    ["a recovery that uses what was in the process's memory", "VOLATILE",    "recovery-killed", "operations",     "pool->cache = (uint64_t)&lock_owner;"],
    ["a recovery that waits for ever",                        "ENDLESS",     "recovery-hangs",  "operations",     "pool->lock = 1;"],
  ])("%s", (_kind, mistake, rule, inside, statement) => {
    expect(found(mistake)).toEqual([{ rule, function: inside, statement }]);
  });
});

it("nothing is found without", () => {
  expect(found(undefined)).toEqual([]);
});
