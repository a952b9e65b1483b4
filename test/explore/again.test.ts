/** Crashes inside recoveries: what one power cut cannot show, and recoveries that any number of them does not harm. */
import { expect, it } from "vitest";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { enumeratedAgain, explored, exploredAgain, isWhole, outcomesOf, pool, replayed } from "./support.ts";

const twice = (...mistakes: readonly string[]) =>
  compileGuest("explore/twice.c", ["-O1", "-g", "-static", ...mistakes.map((name) => `-D${name}`)]);

const commandsOf = (guest: string) => ({ setup: [guest, "setup", pool], recover: [guest, "recover", pool] });
const exploredTo = (depth: number, guest: string) => exploredAgain(depth, [guest, "run", pool], commandsOf(guest));

it.each([
  ["UNFENCED", 53],
  ["FORGOTTEN", 45],
] as const)("%s shows after two power cuts, not after one", (mistake, line) => {
  const guest = twice(mistake);
  const once = explored([guest, "run", pool], commandsOf(guest));
  expect(once.plan.findings()).toEqual([]);
  const { plan, scene } = exploredTo(2, guest);
  const findings = plan.findings();
  expect(findings.map(({ frames }) => `${frames[0]!.function}:${frames[0]!.line}`)).toEqual([`roll_back:${line}`]);
  const all = enumeratedAgain(scene, 2);
  expect(all.failing.every(({ steps }) => steps.length === 2)).toBe(true);
  expect(outcomesOf(plan.ends)).toEqual(all.outcomes);
  expect(replayed(plan, scene, all)).toEqual(["as recorded"]);
});

it("as many recoveries as there are ways, at any depth", () => {
  const program = [checkGuest("accounts", undefined), checkPool];
  const counts = [1, 2, 3].map((depth) => {
    const { executions, recoveryPoints } = exploredAgain(depth, program).statistics;
    return [executions, recoveryPoints];
  });
  expect(counts).toEqual([
    [4, 0],
    [7, 34],
    [10, 82],
  ]);
  expect(explored(program).statistics.executions).toBe(4);
});

it.runIf(isWhole)("every crash one by one, the files of recoveries among what they leave", () => {
  const beside = compileGuest("check/beside.c", ["-O1", "-g"]);
  const { plan, scene } = exploredAgain(2, [beside, checkPool], { pm: ["**/*.img"] });
  const all = enumeratedAgain(scene, 2);
  expect(plan.isAll).toBe(true);
  expect(outcomesOf(plan.ends)).toEqual(all.outcomes);
  expect(plan.found > 0).toBe(all.failing.length > 0);
});

it("a recovery that is right under any number of power cuts is clean", () => {
  const guest = twice();
  for (const depth of [2, 3]) {
    const { plan } = exploredTo(depth, guest);
    expect([plan.isAll, plan.findings(), plan.tested]).toEqual([true, [], 3]);
  }
});
