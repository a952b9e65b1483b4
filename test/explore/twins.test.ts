/**
 * Exploration against every crash state one by one, on guests with files beside the pool, locks, outputs and libraries;
 * counts.test.ts does so on others.
 */
import { expect, it } from "vitest";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { expectTwins, explored, likeJaaru } from "./support.ts";

const beside = () => compileGuest("check/beside.c", ["-O1", "-g"]);

it.each<readonly [string, () => string]>([
  ["files beside the pool, and pages of it that are read by calls", beside],
  ["a list that loses what it acknowledged", () => checkGuest("list", "LOST_ACK")],
  ["an undo log", () => checkGuest("undolog", "EARLY_COMMIT")],
])("%s", (_what, guest) => {
  const { plan, scene, statistics } = explored([guest(), checkPool], { pm: ["**/*.img"] });
  expectTwins(plan, scene, statistics.yatStates, "one by one");
});

it("several points wait for one run, and what it tells is otherwise at a later one, by what was printed", () => {
  const { scene, statistics } = explored([checkGuest("btree", "MISSING_FLUSH"), checkPool]);
  expect(statistics.jaaruExecutions).toBe("243");
  expect(likeJaaru(scene).tested).toBe(243);
});
