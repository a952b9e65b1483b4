/** Robustness below the command line: a guest traced and judged, and what was found in words that tests can pin. */
import { below, seedRandom } from "../../src/base/index.ts";
import type { Finding } from "../../src/crash/finding/index.ts";
import { planPoints } from "../../src/crash/recovery-tree/index.ts";
import { type RobustOptions, type RobustStatistics, robustEngine } from "../../src/engines/index.ts";
import type { FoundPair } from "../../src/exploration/persist-order/index.ts";
import type { SubjectOptions } from "../../src/session/subject/index.ts";
import type { CrashEngine, LeadScene } from "../../src/session/work/index.ts";
import { drawnProgram, interpreted } from "../explore/random-programs.ts";
import { compileGuest } from "../support/programs.ts";
import { finishedPlan, sceneOf } from "../support/scene.ts";

export const pool = "/tmp/blackout-robust-pool.img";

export const figures = () => compileGuest("robust/figures.c", ["-O1", "-g", "-static"]);

/** The words of a command that has one of the figures' programs made ready, run and recovered. */
export const figureWords = (name: string): readonly string[] => [
  "--setup",
  `${figures()} setup ${pool}`,
  "--recover",
  `${figures()} read-${name} ${pool}`,
  "--",
  figures(),
  name,
  pool,
];

export interface Judged {
  readonly scene: LeadScene;
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
  const scene = sceneOf(program, { meetings: true, ...more }, engine.undisturbed);
  const findings = finishedPlan(engine as CrashEngine, scene).findings(new Set());
  const { states } = planPoints(scene.trace, scene.run.history, "px86");
  return { scene, statistics: engine.statistics()!, pairs: engine.pairs(), findings, states };
}

/** "x=1 y=2": the missing store and the kept one, by name and value. */
export const pairTexts = ({ findings }: Judged): readonly string[] =>
  findings
    .flatMap(({ order }) => [order!, ...order!.others])
    .map(({ missing, kept }) =>
      [missing, kept].map(({ name, mark }) => `${name?.replace(/^pm->|\.value$/g, "")}=${mark.value}`).join(" "),
    )
    .sort((a, b) => (a < b ? -1 : 1));

/** A random program of guests/explore/interpreted.c, with a recovery that reads much of where it stores. */
export function drawnReader(seed: number, threads: "some" | "all" = "some") {
  const random = seedRandom(seed);
  const { run, recover } = drawnProgram(random, threads);
  const read = () => `${"wq"[below(random, 2)]}${(64 * below(random, 3) + 8 * below(random, 3)).toString(16)}`;
  const reads = Array.from({ length: 4 + below(random, 5) }, read).join(" ");
  const recovery = below(random, 4) === 0 ? recover : reads;
  return {
    program: [interpreted, "run", pool, run],
    commands: { setup: [interpreted, "setup", pool], recover: [interpreted, "recover", pool, recovery], seed },
    told: `program ${seed}: run "${run}", recover "${recovery}"`,
  };
}
