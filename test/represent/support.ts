/** Representative testing below the command line. */
import { type RepresentOptions, representEngine } from "../../src/engines/index.ts";
import type { SubjectOptions } from "../../src/subject/index.ts";
import { WaysPlan } from "../../src/ways/index.ts";
import type { AskedJudging, CrashEngine, LeadScene } from "../../src/work/index.ts";
import { finished, sceneOf } from "../support/scene.ts";
import { judging as asked } from "../support/subject.ts";

export const pool = "/tmp/blackout-represent-pool.img";

/** All ways gone to their ends in this thread. */
export const finishedWays = (engine: CrashEngine, scene: LeadScene): WaysPlan => finished(engine, WaysPlan, scene);

/** The program traced, and the representatives of its updates tested. */
export function represented(
  program: readonly string[],
  more: Partial<SubjectOptions> = {},
  { judging = asked, ...options }: RepresentOptions & { readonly judging?: AskedJudging } = {},
) {
  const engine = representEngine(options);
  const scene = sceneOf(program, more, engine.undisturbed, judging);
  const plan = finishedWays(engine as CrashEngine, scene);
  return { scene, plan, statistics: engine.statistics()!, updates: engine.updates()! };
}
