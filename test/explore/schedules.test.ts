/**
 * One tree for all schedules: what a recovery showed on a state of one run is not run again for another's. Random programs with threads,
 * each by some schedules: with the shared tree and without, recoveries end alike at every state, and fewer run. EXPLORE_SEED and
 * EXPLORE_SCHEDULED_PROGRAMS go on with others (`make fuzz`).
 */
import { env } from "node:process";
import { expect, it } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { exploreEngine } from "../../src/engines/index.ts";
import { WaysPlan } from "../../src/exploration/recovery-paths/index.ts";
import type { CrashEngine, LeadScene } from "../../src/session/work/index.ts";
import { replay } from "../../src/trace/events/index.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { compileGuest } from "../support/programs.ts";
import { finished, sceneOf } from "../support/scene.ts";
import { drawnProgram, interpreted as guest, ofRecovery } from "./random-programs.ts";
import { enumerated, failingStates, outcomesOf, pool } from "./support.ts";

const seed = Number(env["EXPLORE_SEED"] ?? 1);
const programs = Number(env["EXPLORE_SCHEDULED_PROGRAMS"] ?? 3);
const schedules = 3;
const mostStates = 200;

/** The same program's run by another schedule. */
function scheduled(scene: LeadScene, number: number): LeadScene {
  const run = scene.subject.trace([], { seed: number });
  const places = scene.subject.places(run.trace.tables);
  replay(run.trace, places.modules);
  return { ...scene, run, places, trace: run.trace, versions: run.history };
}

it(`${programs} random programs from seed ${seed} on, by ${schedules} schedules each`, { timeout: 2 ** 31 - 1 }, () => {
  let [together, apart] = [0, 0];
  for (let number = seed; number < seed + programs; number++) {
    const { run, recover } = drawnProgram(seedRandom(number), "all");
    const told = `EXPLORE_SEED=${number}: run "${run}", recover "${recover}"`;
    const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool, recover], seed: number };
    const engines = [exploreEngine({ severalRuns: true }), exploreEngine()] as const;
    const scenes = engines.map(({ undisturbed }) =>
      ofRecovery(told, () => sceneOf([guest, "run", pool, run], commands, undisturbed)),
    );
    if (scenes.includes(undefined)) continue;
    for (let schedule = 0; schedule <= schedules; schedule++) {
      const [shared, own] = scenes.map((scene, at) => {
        const there = schedule === 0 ? scene! : scheduled(scene!, schedule);
        return { scene: there, plan: finished(engines[at]! as CrashEngine, WaysPlan, there) };
      }) as [{ scene: LeadScene; plan: WaysPlan }, { scene: LeadScene; plan: WaysPlan }];
      together += shared.plan.tested;
      apart += own.plan.tested;
      const where = `${told}, schedule ${schedule}`;
      expect(shared.plan.isAll, where).toBe(true);
      expect(outcomesOf(shared.plan.ends), where).toEqual(outcomesOf(own.plan.ends));
      if (BigInt(engines[1].statistics()!.yatStates) > BigInt(mostStates) || shared.plan.ends.length === 0) continue;
      const all = enumerated(own.scene);
      expect(outcomesOf(shared.plan.ends), where).toEqual(all.outcomes);
      const failed = all.failing.map(({ state }) => state).sort((a, b) => a - b);
      expect(failingStates(shared.plan, all, shared.scene), where).toEqual(failed);
    }
  }
  expect(together).toBeLessThan(apart / 2);
});

it("runs as many recoveries with eight workers as with one, and says of how many runs", () => {
  const program = compileGuest("schedules/handover.c", ["-O1", "-g", "-static", "-pthread"]);
  const [one, eight] = ["1", "8"].map((jobs) => {
    const options = [
      "--no-journal",
      "--stats",
      "-j",
      jobs,
      "--schedules",
      "5",
      "--recover",
      `${program} ${pool} recover`,
    ];
    const { code, stderr } = runBlackout(["explore", ...options, "--", program, pool]);
    expect(code).toBe(0);
    expect(stderr).toContain("in 4 recoveries; 5 schedules, 6 different runs");
    return JSON.parse(stderr.trim().split("\n").at(-1)!) as Record<string, unknown>;
  }) as [Record<string, unknown>, Record<string, unknown>];
  const { points, executions, yatStates, openStates } = one;
  expect([executions, openStates]).toEqual([4, 0]);
  expect(eight).toMatchObject({ points, executions, yatStates, openStates });
});
