/** Crashes inside recoveries that change the pool by calls: what they leave, against every crash one by one. */
import { describe, expect, it } from "vitest";
import { compileGuest } from "../support/programs.ts";
import { enumeratedAgain, exploredAgain, outcomesOf, pool, replayed } from "./support.ts";

const guest = compileGuest("explore/rewriting.c", ["-O1", "-g", "-static"]);

const exploredTo = (depth: number, how: string) =>
  exploredAgain(depth, [guest, "run", pool], { setup: [guest, "setup", pool], recover: [guest, how, pool] });

it("a pool that gets another name is read there, and crashes behind that are not followed", () => {
  const once = exploredTo(1, "moved");
  expect(outcomesOf(once.plan.ends)).toEqual(enumeratedAgain(once.scene, 1).outcomes);
  // One for each answer to the three words that it reads, as for a recovery that moves nothing.
  expect(once.plan.tested).toBe(exploredTo(1, "in-place").plan.tested);
  expect(exploredTo(2, "moved").plan.limit).toBe("files");
});

describe("a recovery that rewrites the pool", () => {
  it.each([
    ["in-place", false],
    ["cleared", true],
    ["renamed", false],
    ["truncated", true],
    ["grown", false],
  ] as const)("%s: two power cuts show a mistake: %s", (how, isWrong) => {
    expect(exploredTo(1, how).plan.findings()).toEqual([]);
    const { plan, scene } = exploredTo(2, how);
    expect([plan.isAll, plan.limit]).toEqual([true, undefined]);
    const all = enumeratedAgain(scene, 2);
    expect(outcomesOf(plan.ends)).toEqual(all.outcomes);
    expect(all.failing.length > 0).toBe(isWrong);
    expect(plan.findings()).toHaveLength(isWrong ? 1 : 0);
    expect(replayed(plan, scene, all)).toEqual(isWrong ? ["as recorded"] : []);
  });
});
