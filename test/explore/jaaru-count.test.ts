/**
 * Jaaru's executions by the formula, from point to point, held against its slow twin, which goes through every question at each point: on random
 * programs and on guests. JAARU_SEED and JAARU_PROGRAMS go on with others (`make fuzz`).
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { jaaruExecutions } from "../../src/engines/compare/jaaru-count.ts";
import { Started, WaysJudge, WaysPlan } from "../../src/exploration/recovery-paths/index.ts";
import type { SubjectOptions } from "../../src/session/subject/index.ts";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { sceneOf } from "../support/scene.ts";
import { jaaruExecutionsByPoint } from "./jaaru-by-point.ts";
import { drawnProgram, interpreted as guest, ofRecovery } from "./random-programs.ts";
import { pool } from "./support.ts";

const seed = Number(env["JAARU_SEED"] ?? 7001);
const programs = Number(env["JAARU_PROGRAMS"] ?? 40);
const nobody = { found: 0, reached: () => {}, isJudgedAnew: () => false, findings: () => [] };

/** By both, when everything was explored. */
function counted(program: readonly string[], more: Partial<SubjectOptions> = {}) {
  let started: Started | undefined;
  const scene = sceneOf(program, more, (subject, run, limit) => {
    started = new Started(run, "px86", []);
    return started.undisturbed(subject, limit);
  });
  const { planned, others } = started!;
  const plan = new WaysPlan(scene, started!, { maxExecutions: Number.POSITIVE_INFINITY }, nobody);
  const judge = new WaysJudge(plan.setup, scene);
  for (let unit = plan.next(8); unit !== undefined; unit = plan.next(8))
    plan.add(judge.judge(unit, undefined, () => false));
  expect(plan.isAll).toBe(true);
  return {
    count: jaaruExecutions(planned, plan.tree, others),
    byPoint: jaaruExecutionsByPoint(planned, plan.tree, others),
  };
}

it(`${programs} random programs from seed ${seed} on`, { timeout: 2 ** 31 - 1 }, () => {
  let several = 0;
  for (let number = seed; number < seed + programs; number++) {
    const { run, recover } = drawnProgram(seedRandom(number));
    const told = `JAARU_SEED=${number}: run "${run}", recover "${recover}"`;
    const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool, recover] };
    const result = ofRecovery(told, () => counted([guest, "run", pool, run], { ...commands, seed: number }));
    if (result === undefined) continue;
    expect(result.count, told).toBe(result.byPoint);
    if (result.count > 3n) several++;
  }
  expect(several).toBeGreaterThan(programs / 4);
});

it("what one way saw of a line counts for no other", () => {
  const run = "q0=1 q0=2 q0=1 q40=3 q40=2 q40=5 q40=6";
  // Where the second line is odd, the first is not asked for; else it has four stores, its first content among them.
  const recover = "q40 ?1 q0";
  const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool, recover] };
  expect(counted([guest, "run", pool, run], commands)).toEqual({ count: 14n, byPoint: 14n });
});

it.each([
  ["btree", "MISSING_FENCE", 173n],
  ["undolog", "HANG", 322n],
  // What was acknowledged is asked for too.
  ["hashmap", "LOST_ACK", 47n],
])("%s %s", (name, bug, count) => {
  expect(counted([checkGuest(name, bug), checkPool])).toEqual({ count, byPoint: count });
});

it("a hash table with a lock that nobody flushes", () => {
  const program = compileGuest("bench/explore-hash.c", ["-O1", "-g", "-static"]);
  const count = 8266n;
  expect(counted([program, pool, "16", "keys"], { recover: [program, pool] })).toEqual({ count, byPoint: count });
});
