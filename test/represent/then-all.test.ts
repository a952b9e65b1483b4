/** What `check` goes on with: representatives, then every crash state, in one tree. */
import { expect, it } from "vitest";
import { exploreEngine, representEngine } from "../../src/engines/index.ts";
import type { CrashEngine } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { sceneOf } from "../support/scene.ts";
import { finishedWays } from "./support.ts";

const all = { mostEvents: Number.POSITIVE_INFINITY };

it.each([
  ["list", "MISSING_FLUSH"],
  ["accounts", undefined],
] as const)("what is run for representatives is not run again: %s %s", (guest, mistake) => {
  const explore = exploreEngine({ findsChecksums: false });
  const scene = sceneOf([checkGuest(guest, mistake), pool], {}, explore.undisturbed);
  const explored = finishedWays(explore as CrashEngine, scene);
  const engine = representEngine({ thenAll: all });
  engine.undisturbed(scene.subject, scene.run, scene.judging.hangLimit);
  const both = finishedWays(engine as CrashEngine, scene);
  const numbers = engine.statistics()!;
  expect(both.tested).toBe(explored.tested);
  expect(both.extent).toEqual(explored.extent);
  expect(numbers.rounds).toBeGreaterThan(0);
  expect(numbers.behavioursTested).toBeGreaterThanOrEqual(numbers.groups);
  const told = (plan: typeof both) => plan.findings().map(({ fingerprint, count }) => ({ fingerprint, count }));
  expect(told(both)).toEqual(told(explored));
});

it("a run with more events is explored without groups", () => {
  const engine = representEngine({ thenAll: { mostEvents: 1 } });
  const scene = sceneOf([checkGuest("accounts", undefined), pool], {}, engine.undisturbed);
  const plan = finishedWays(engine as CrashEngine, scene);
  expect(plan.isAll).toBe(true);
  expect(engine.statistics()).toBeUndefined();
});
