/** States are judged in any order, as a sample of the whole is with --time: what is told first of a failure is explained. */
import { expect, it } from "vitest";
import { injectEngine } from "../../src/engines/index.ts";
import type { CrashEngine, Range, UnitResult } from "../../src/session/work/index.ts";
import { sceneOf } from "../support/scene.ts";
import { checkGuest, pool } from "./guests.ts";

it("the last states first, by one judge that is told what is known", () => {
  const engine = injectEngine({ granularity: "store", allPoints: true, memo: true }) as CrashEngine;
  const scene = sceneOf([checkGuest("list", "MISSING_FLUSH"), pool], {}, () => undefined);
  const plan = engine.plan(scene, { maxItems: Number.POSITIVE_INFINITY, isTimed: false });
  const judge = engine.start(plan.setup, scene);
  const parts = 8;
  const bound = (part: number) => Math.floor((part * plan.items) / parts);
  const inOrder = Array.from({ length: parts }, (_, i): Range => ({ from: bound(i), to: bound(i + 1) }));
  // Two neighbours at a time: the second of them is told what the first one showed.
  const units = [6, 7, 4, 5, 2, 3, 0, 1].map((part) => inOrder[part]!);
  for (const unit of units) plan.add(judge.judge(unit, plan.hint(unit), () => false) as UnitResult<unknown>);
  expect(plan.done).toBe(plan.items);
  expect(plan.findings(new Set())).not.toEqual([]);
});
