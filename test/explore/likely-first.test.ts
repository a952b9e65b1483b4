/** What is explored first: one lost line, at every point, before two. */
import { describe, expect, it } from "vitest";
import { exploreEngine } from "../../src/engines/index.ts";
import { WaysJudge, type WaysPlan } from "../../src/exploration/recovery-paths/index.ts";
import { compileGuest } from "../support/programs.ts";
import { sceneOf } from "../support/scene.ts";
import { explored, pool } from "./support.ts";

const counters = "40";
const guest = (): string => compileGuest("explore/endless.c", ["-O1", "-g", "-static"]);
const commands = (program: string) => ({
  setup: [program, "setup", pool, counters],
  recover: [program, "recover", pool, counters],
});

/** Of each run that is asked for, in their order: how many lines lost something. */
function lostLines(most: number): readonly number[] {
  const program = guest();
  const engine = exploreEngine({ findsChecksums: false });
  const scene = sceneOf([program, "run", pool, counters], commands(program), engine.undisturbed);
  const plan = engine.plan(scene, { maxItems: Number.POSITIVE_INFINITY, isTimed: false }) as WaysPlan;
  const judge = new WaysJudge(plan.setup, scene);
  const lost: number[] = [];
  for (let unit = plan.next(1); unit !== undefined && lost.length < most; unit = plan.next(1)) {
    lost.push(...unit.runs.map(({ held }) => held.length));
    plan.add(judge.judge(unit, undefined, () => false));
  }
  return lost;
}

describe("a point with endless combinations", () => {
  it("holds up no other: a mistake behind it that one lost line shows is found", () => {
    const program = guest();
    const { plan, statistics } = explored([program, "run", pool, counters], commands(program), { maxExecutions: 200 });
    expect(BigInt(statistics.yatStates)).toBeGreaterThan(2n ** 40n);
    expect(plan.isAll).toBe(false);
    expect(plan.extent).toMatchObject({ points: 0, pointsInAll: 3, lostLines: 1 });
    expect(plan.findings().map(({ rule }) => rule.id)).toEqual(["recovery-fails"]);
  });

  it("waits with pairs until single lines were lost at every point", () => {
    const lost = lostLines(100);
    const pairs = lost.findIndex((count) => count > 1);
    expect(lost.slice(0, pairs)).toContain(1);
    expect(lost.slice(pairs).every((count) => count === 2)).toBe(true);
  });
});
