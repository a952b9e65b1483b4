/** What the JSON of a check has beside the stories: timelines, what recovery read, failure points by place. */
import { expect, it } from "vitest";
import type { Finding, Report } from "../../src/report/document/index.ts";
import { compileRuleGuest } from "../rules/guests.ts";
import { reportOf } from "../support/findings.ts";
import { compileText, guestSource } from "../support/programs.ts";
import { checkGuest, pool } from "./guests.ts";

const checks = new Map<string, Promise<Report>>();
function check(bug: string): Promise<Report> {
  const known = checks.get(bug) ?? reportOf("check", ["--", checkGuest("list", bug), pool]);
  checks.set(bug, known);
  return known;
}
const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

function crashIn({ findings }: Report): Finding {
  const found = findings.find(({ cut, severity }) => cut !== undefined && severity === "error");
  if (found === undefined) throw new Error("a crash is found");
  return found;
}

it("a lost store is lost in the timeline, and read in its place is what recovery fails by", async () => {
  const { timeline, reads, lost, cut } = crashIn(await check("MISSING_FLUSH"));
  const stores = timeline!.events.filter((event) => event.kind === "store");
  expect(timeline!.cut).toBe(cut!.event);
  expect(stores.filter(({ fate }) => fate === "lost").map(({ event }) => event)).toEqual(
    lost!.map(({ event }) => event),
  );
  expect(stores.filter(({ event }) => event < cut!.event).every(({ fate }) => fate !== undefined)).toBe(true);
  const fatal = reads!.filter((read) => read.fatal);
  expect(fatal.map(({ lost: event }) => event)).toEqual([lost![0]!.event]);
  expect(fatal[0]!.name).toBe(lost![0]!.name);
  expect(fatal[0]!.bytes).not.toBe(lost![0]!.bytes);
});

it("failure points by place add up to what was covered, and to what findings count", async () => {
  const { coverage, findings } = await check("WRONG_ORDER");
  const points = coverage!.points!;
  expect(total(points.map(({ states }) => states))).toBe(coverage!.crashStates.total);
  expect(total(points.map(({ judged }) => judged))).toBe(coverage!.crashStates.judged);
  const crashes = findings.filter(({ cut }) => cut !== undefined);
  expect(crashes.length).toBeGreaterThan(0);
  expect(total(points.map(({ failing }) => failing))).toBe(total(crashes.map(({ count }) => count)));
});

it("what a rule finds in the run itself has its lines, too", async () => {
  const { findings } = await check("MISSING_FLUSH");
  const rule = findings.find(({ rule: id }) => id === "repeated-store")!;
  expect(rule.timeline!.events.map(({ event }) => event)).toContain(rule.places[0]!.event);
  expect(rule.timeline!.cut).toBeUndefined();
});

it("what a rule finds in a run that is answered as by Valgrind has the lines of that run", async () => {
  const { findings } = await reportOf("check", ["--no-explore", "--", compileRuleGuest("unadded-store/bad.c")]);
  const { timeline, places } = findings.find(({ rule }) => rule === "unadded-store")!;
  const told = timeline!.events.find(({ event }) => event === places[0]!.event);
  expect(told).toMatchObject({ kind: "store", name: "pool->pair.right", bytes: "0200000000000000" });
});

const setUp = `
#include "${guestSource("flush.h")}"
#include <stdint.h>
#include <string.h>
struct box { uint64_t kind; char pad[56]; uint64_t full; char rest[56]; int64_t value; char name[8]; };
static void persist(const void *at) { clwb((uintptr_t)at); sfence(); }
int main(int count, char **words) {
  struct box *box = map_pool(words[1], 4096);
  if (count < 3) { box->value = 7; box->full = 1; persist(&box->full); persist(&box->value); return 0; }
  if (strcmp(words[2], "create") == 0) { box->kind = 0x6c6f6f70; memcpy(box->name, "letters", 8); persist(&box->kind); persist(&box->name); return 0; }
  return box->kind != 0x6c6f6f70 || *(volatile char *)box->name != 108 || (box->full && box->value != 7);
}`;

it("what recovery reads that only the set-up stored is named, too, and a number by its type", async () => {
  const program = compileText("set-up-names", setUp, ["-g", "-O1"]);
  const words = ["--setup", `${program} ${pool} create`, "--recover", `${program} ${pool} look`];
  const { reads } = crashIn(await reportOf("check", ["--no-explore", "--no-rules", ...words, "--", program, pool]));
  expect(reads!.map(({ name, bytes, number, fatal }) => [name, bytes, number, fatal === true])).toEqual([
    ["box->kind", "706f6f6c00000000", "unsigned", false],
    ["box->name", "6c657474", undefined, false],
    ["box->full", "0100000000000000", "unsigned", false],
    ["box->value", "0000000000000000", "signed", true],
  ]);
});
