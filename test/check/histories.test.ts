/** What the JSON of a check has beside the stories: timelines, what recovery read, failure points by place. */
import { expect, it } from "vitest";
import type { Finding, Report } from "../../src/document/index.ts";
import { reportOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

const check = (bug: string): Promise<Report> => reportOf("check", ["--", checkGuest("list", bug), pool]);
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
