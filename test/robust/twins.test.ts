/**
 * The engine against the definition, as binaries: every crash state of random programs and of small guests. ROBUST_SEED and
 * ROBUST_BINARIES go on with others (`make fuzz`).
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { drawnProgram, interpreted as guest } from "../explore/random-programs.ts";
import { judgeStates, type StatesJudged } from "./crash-states.ts";
import { type Judged, judgedRobust, pool } from "./support.ts";

const seed = Number(env["ROBUST_SEED"] ?? 1);
const programs = Number(env["ROBUST_BINARIES"] ?? 60);
const mostStates = 200;

/** What the twin says, once the engine says the same. */
function agreed({ scene, statistics, findings }: Judged, told: string): StatesJudged {
  const twin = judgeStates(scene);
  const hasError = findings.some(({ rule }) => rule.severity === "error");
  const { violating } = twin;
  expect({ violating: statistics.violating, hasError }, told).toEqual({ violating, hasError: twin.hasError });
  expect(findings.length > 0, told).toBe(violating > 0);
  return twin;
}

it(`${programs} random programs from seed ${seed} on: the same verdicts, and as many violating ways`, {
  timeout: 2 ** 31 - 1,
}, () => {
  const counts = { robust: 0, errors: 0, warnings: 0 };
  for (let number = seed; number < seed + programs; number++) {
    const { run, recover } = drawnProgram(seedRandom(number));
    const told = `ROBUST_SEED=${number}: run "${run}", recover "${recover}"`;
    const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool, recover] };
    let judged: Judged;
    try {
      judged = judgedRobust([guest, "run", pool, run], { ...commands, seed: number });
    } catch (error) {
      // A recovery whose undisturbed end fails is no recovery: such a draw is left out.
      if (`${error}`.includes("undisturbed")) continue;
      throw new Error(told, { cause: error });
    }
    if (judged.states > BigInt(mostStates) || judged.statistics.points === 0) continue;
    const twin = agreed(judged, told);
    if (twin.hasError) counts.errors++;
    else if (twin.violating > 0) counts.warnings++;
    else counts.robust++;
  }
  // Neither answer is so rare that agreeing on it would be luck.
  expect(Math.min(counts.robust, counts.errors)).toBeGreaterThan(programs / 20);
});

it.each([
  ["accounts", undefined],
  ["accounts", "LOST_UPDATE"],
  ["list", undefined],
  ["list", "MISSING_FENCE"],
  ["array", undefined],
  ["array", "NON_ATOMIC"],
  ["locked", undefined],
])("%s %s", (guest, bug) => {
  agreed(judgedRobust([checkGuest(guest, bug), checkPool]), `${guest} ${bug}`);
});
