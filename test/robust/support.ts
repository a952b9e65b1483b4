/** Robustness below the command line: a guest traced and judged, and what was found in words that tests can pin. */
import { type RobustOptions, type RobustStatistics, robustEngine } from "../../src/engines/index.ts";
import type { Finding } from "../../src/finding/index.ts";
import type { FoundPair } from "../../src/order/index.ts";
import type { SubjectOptions } from "../../src/subject/index.ts";
import { planPoints } from "../../src/tree/index.ts";
import { WaysPlan } from "../../src/ways/index.ts";
import type { CrashEngine, LeadScene } from "../../src/work/index.ts";
import { finished, sceneOf } from "../support/scene.ts";

export const pool = "/tmp/blackout-robust-pool.img";

export interface Judged {
  readonly scene: LeadScene;
  readonly plan: WaysPlan;
  readonly statistics: RobustStatistics;
  readonly pairs: readonly FoundPair[];
  readonly findings: readonly Finding[];
  /** Crash states of all points, one by one. */
  readonly states: bigint;
}

export function judgedRobust(
  program: readonly string[],
  more: Partial<SubjectOptions> = {},
  options: RobustOptions = {},
): Judged {
  const engine = robustEngine(options);
  const scene = sceneOf(program, more, engine.undisturbed);
  const plan = finished(engine as CrashEngine, WaysPlan, scene);
  const { states } = planPoints(scene.trace, scene.run.history, "px86");
  return { scene, plan, statistics: engine.statistics()!, pairs: engine.pairs(), findings: plan.findings(), states };
}

/** "x=1 y=2": the missing store and the kept one, by name and value. */
export const pairTexts = ({ findings }: Judged): readonly string[] =>
  findings
    .flatMap(({ order }) => [order!, ...order!.others])
    .map(({ missing, kept }) =>
      [missing, kept].map(({ name, mark }) => `${name?.replace(/^pm->|\.value$/g, "")}=${mark.value}`).join(" "),
    )
    .sort((a, b) => (a < b ? -1 : 1));
