/**
 * Exploration against its slow twins on random programs: stores of mixed sizes, flushes, fences, locked operations, outputs,
 * threads, and a recovery that reads and branches. EXPLORE_SEED and EXPLORE_PROGRAMS go on with others (`make fuzz`).
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { drawnProgram, interpreted as guest, ofRecovery } from "./random-programs.ts";
import { expectReplayed, expectTwins, explored, likeJaaru, outcomesOf, pool } from "./support.ts";

const seed = Number(env["EXPLORE_SEED"] ?? 1);
const programs = Number(env["EXPLORE_PROGRAMS"] ?? 200);
/** One in so many has its findings replayed, which takes further recoveries. */
const replaysOneIn = 8;
const mostStates = 500;

it(`${programs} random programs from seed ${seed} on: the same ends and the same failing states`, {
  timeout: 2 ** 31 - 1,
}, () => {
  let failing = 0;
  for (let number = seed; number < seed + programs; number++) {
    const { run, recover } = drawnProgram(seedRandom(number));
    const told = `EXPLORE_SEED=${number}: run "${run}", recover "${recover}"`;
    const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool, recover] };
    const result = ofRecovery(told, () => explored([guest, "run", pool, run], { ...commands, seed: number }));
    if (result === undefined) continue;
    const { plan, scene, statistics } = result;
    expect(statistics.openStates, told).toBe(0);
    if (BigInt(statistics.yatStates) > BigInt(mostStates) || statistics.points === 0) continue;
    const { all, failed } = expectTwins(plan, scene, statistics.yatStates, told);
    const jaaru = likeJaaru(scene);
    expect(`${jaaru.tested}`, told).toBe(statistics.jaaruExecutions);
    expect(outcomesOf(jaaru.ends), told).toEqual(all.outcomes);
    if (failed.length > 0 && ++failing % replaysOneIn === 0) expectReplayed(plan, scene, all, told);
  }
  expect(failing).toBeGreaterThan(programs / 50);
});
