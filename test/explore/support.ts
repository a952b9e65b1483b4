/** Explorations below the command line: one scene, looked at by the explorer and by its slow twins. */
import { env } from "node:process";
import { expect } from "vitest";
import type { Finding } from "../../src/crash/finding/index.ts";
import { type Layout, type RecoveryEnd, replayCrash, TraceCursor, verdictFails } from "../../src/crash/states/index.ts";
import {
  EnumeratePlan,
  type ExploreOptions,
  enumerateEngine,
  exploreAgainEngine,
  exploreEngine,
  injectEngine,
  JaaruPlan,
  jaaruEngine,
  outcomeText,
} from "../../src/engines/index.ts";
import { AgainPlan, stateAt } from "../../src/exploration/nested-crashes/index.ts";
import { WaysPlan } from "../../src/exploration/recovery-paths/index.ts";
import { type SubjectOptions, TracedRecoveries } from "../../src/session/subject/index.ts";
import type { AskedJudging, CrashEngine, LeadScene } from "../../src/session/work/index.ts";
import { type AnyPlan, finished, finishedPlan, sceneOf } from "../support/scene.ts";
import { judging as asked } from "../support/subject.ts";

export const pool = "/tmp/blackout-explore-pool.img";

/** The program traced and explored. */
export function explored(
  program: readonly string[],
  more: Partial<SubjectOptions> = {},
  { judging: how = asked, ...options }: ExploreOptions & { readonly judging?: AskedJudging } = {},
) {
  const engine = exploreEngine(options);
  const scene = sceneOf(program, more, engine.undisturbed, how);
  const plan = finished(engine as CrashEngine, WaysPlan, scene);
  return { scene, plan, statistics: engine.statistics()!, checksums: engine.checksums() };
}

export const enumerated = (scene: LeadScene): EnumeratePlan =>
  finished(enumerateEngine(scene.judging.platform) as CrashEngine, EnumeratePlan, scene);

/** Crashes in all. */
export const enumeratedAgain = (scene: LeadScene, depth: number): EnumeratePlan =>
  finished(enumerateEngine("px86", depth) as CrashEngine, EnumeratePlan, scene);

/** The program traced and explored, with crashes inside its recoveries. */
export function exploredAgain(
  depth: number,
  program: readonly string[],
  more: Partial<SubjectOptions> = {},
  options: ExploreOptions = {},
) {
  const engine = exploreAgainEngine(depth, options);
  const scene = sceneOf(program, more, () => undefined);
  const plan = finished(engine as CrashEngine, AgainPlan, scene);
  return { scene, plan, statistics: engine.statistics()! };
}

export const likeJaaru = (scene: LeadScene): JaaruPlan => finished(jaaruEngine() as CrashEngine, JaaruPlan, scene);

/** Whether everything is held against its twins that ends (`make seeded`). */
export const isWhole = env["SEEDED"] === "all";
/** Jaaru's way is run where it takes at most so many executions, and every crash state where there are so many. */
const [mostLikeJaaru, mostStates] = isWhole ? [100_000, 10_000] : [400, 61];

/** Jaaru's way runs exactly what the formula says. */
function expectJaaru({ scene, statistics }: Pick<ReturnType<typeof explored>, "scene" | "statistics">): void {
  const { jaaruExecutions, openStates } = statistics;
  if (openStates === 0 && Number(jaaruExecutions) <= mostLikeJaaru)
    expect(`${likeJaaru(scene).tested}`).toBe(jaaruExecutions);
}

/** Crash injection at every store. */
export const injected = (scene: LeadScene): AnyPlan =>
  finishedPlan(
    injectEngine({
      granularity: "store",
      allPoints: true,
      memo: true,
      platform: scene.judging.platform,
    }) as CrashEngine,
    scene,
  );

const bareName = (name: string): string => name.replace(/\(.*/, "").split("::").at(-1)!;
/** Of all frames of findings. */
export const functionsIn = (findings: readonly Finding[]): readonly string[] =>
  findings.flatMap(({ frames }) => frames.map((frame) => bareName(frame.function ?? "")));

export const outcomesOf = (ends: readonly RecoveryEnd[]): ReadonlySet<string> => new Set(ends.map(outcomeText));

/** Numbers of the states that recovery fails on, as the tree has it. */
export function failingStates(plan: WaysPlan, all: EnumeratePlan, { judging }: LeadScene): number[] {
  const { points } = all.setup.enumerated;
  const cursor = new TraceCursor(all.source);
  return points.flatMap(({ point, first, count }, number) => {
    const moment = cursor.before(point.seq);
    return Array.from({ length: count }, (_, i) => i).flatMap((i) => {
      const ended = plan.endOf(number, stateAt(moment, i));
      if (ended === undefined) throw new Error(`state ${first + i} was not explored`);
      return verdictFails(ended.verdict, judging.expectExit) ? [first + i] : [];
    });
  });
}

/** What replaying each finding's witness answers. */
export const replayed = (
  plan: Pick<WaysPlan, "findings">,
  { subject, judging }: LeadScene,
  all: EnumeratePlan,
): readonly string[] =>
  plan.findings().map(({ crash }) => {
    const { recovery } = subject.recovery();
    const traces = new TracedRecoveries(subject, judging.hangLimit);
    const retraced = (layout: Layout) => traces.source(layout, judging.platform);
    return replayCrash(crash!.witness, all.source, recovery, retraced).answer;
  });

/** Every crash state one by one ends as exploration says, and as many of them fail; returns them, and the numbers of those that fail. */
export function expectTwins(plan: WaysPlan, scene: LeadScene, yatStates: string, told: string) {
  const all = enumerated(scene);
  expect(`${all.items}`, told).toBe(yatStates);
  expect(outcomesOf(plan.ends), told).toEqual(all.outcomes);
  const failed = all.failing.map(({ state }) => state).sort((a, b) => a - b);
  expect(failingStates(plan, all, scene), told).toEqual(failed);
  expect(plan.found > 0, told).toBe(failed.length > 0);
  return { all, failed };
}

/** The same where that ends, and Jaaru's way too. */
export function expectSlowTwins(result: ReturnType<typeof explored>): void {
  expectJaaru(result);
  const { plan, scene, statistics } = result;
  const { yatStates, openStates } = statistics;
  if (openStates === 0 && BigInt(yatStates) <= BigInt(mostStates)) expectTwins(plan, scene, yatStates, "one by one");
}

/** What exploration found, each as its witness has it. */
export function expectReplayed(plan: WaysPlan, scene: LeadScene, all: EnumeratePlan, told: string): void {
  expect(plan.findings().length, told).toBeGreaterThan(0);
  for (const answer of replayed(plan, scene, all)) expect(answer, told).toBe("as recorded");
}
