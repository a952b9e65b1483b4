/** Exploration against every crash state one by one, on guests with files beside the pool, locks, outputs and libraries. */
import { expect, it } from "vitest";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { enumerated, explored, failingStates, outcomesOf } from "./support.ts";

const beside = () => compileGuest("check/beside.c", ["-O1", "-g"]);

it.each<readonly [string, () => string]>([
  ["files beside the pool, and pages of it that are read by calls", beside],
  ["a list", () => checkGuest("list", undefined)],
  ["a list that hangs", () => checkGuest("list", "HANG")],
  ["a list that loses what it acknowledged", () => checkGuest("list", "LOST_ACK")],
  ["threads and locks", () => checkGuest("locked", "UNLOCKED")],
  ["accounts", () => checkGuest("accounts", "LOST_UPDATE")],
  ["an undo log", () => checkGuest("undolog", "EARLY_COMMIT")],
])("%s", (_what, guest) => {
  const { plan, scene, statistics } = explored([guest(), checkPool], { pm: ["**/*.img"] });
  const all = enumerated(scene);
  expect(`${all.items}`).toBe(statistics.yatStates);
  expect(outcomesOf(plan.ends)).toEqual(all.outcomes);
  expect(plan.found > 0).toBe(all.failing.length > 0);
  expect(failingStates(plan, all, scene)).toEqual(all.failing.map(({ state }) => state).sort((a, b) => a - b));
});
