/**
 * Crashes inside recoveries against all of them one by one, on random programs with recoveries that store, and with some that change the
 * pool by calls as well. AGAIN_SEED, AGAIN_PROGRAMS and AGAIN_DEPTH go on with others (`make fuzz`).
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { drawnAgain, interpreted as guest, ofRecovery } from "./random-programs.ts";
import { enumeratedAgain, exploredAgain, outcomesOf, pool, replayed } from "./support.ts";

const seed = Number(env["AGAIN_SEED"] ?? 1);
const programs = Number(env["AGAIN_PROGRAMS"] ?? 5);
const depth = Number(env["AGAIN_DEPTH"] ?? 2);
const mostStates = 30;
/** One in so many has its findings replayed, which takes further recoveries. */
const replaysOneIn = 4;

/** The ends of one program against those of all its states one by one; false where it has too many of them, or none. */
function compare(number: number, byCalls: boolean, crashes: number, replays: () => boolean): boolean {
  const { run, recover } = drawnAgain(seedRandom(number), byCalls);
  const told = `AGAIN_SEED=${number}: run "${run}", recover "${recover}"`;
  const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool, recover], seed: number };
  const result = ofRecovery(told, () => exploredAgain(crashes, [guest, "run", pool, run], commands));
  if (result === undefined) return false;
  const { plan, scene, statistics } = result;
  expect(statistics.openStates, told).toBe(0);
  expect(plan.isAll, told).toBe(true);
  if (BigInt(statistics.yatStates) > BigInt(mostStates) || statistics.points === 0) return false;
  const all = enumeratedAgain(scene, crashes);
  expect(outcomesOf(plan.ends), told).toEqual(all.outcomes);
  expect(plan.found > 0, told).toBe(all.failing.length > 0);
  if (plan.found > 0 && replays())
    for (const answer of replayed(plan, scene, all)) expect(answer, told).toBe("as recorded");
  return true;
}

it.each([
  ["stores", false],
  ["calls and stores", true],
] as const)(
  `${programs} random programs from seed ${seed} on, recoveries with %s: the same ends after ${depth} crashes`,
  {
    timeout: 2 ** 31 - 1,
  },
  (_what, byCalls) => {
    let [compared, failing] = [0, 0];
    for (let number = seed; number < seed + programs; number++)
      if (compare(number, byCalls, depth, () => ++failing % replaysOneIn === 0)) compared++;
    expect(compared).toBeGreaterThan(programs / 4);
  },
);

it("the files of a crash inside a recovery may take another recovery to be known", () => {
  expect(compare(181139, false, 3, () => true)).toBe(true);
});
