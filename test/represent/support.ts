/** Representative testing below the command line. */

import type { Finding } from "../../src/crash/finding/index.ts";
import { type RepresentOptions, representEngine } from "../../src/engines/index.ts";
import { WaysPlan } from "../../src/exploration/recovery-paths/index.ts";
import type { SubjectOptions } from "../../src/session/subject/index.ts";
import type { AskedJudging, CrashEngine, LeadScene } from "../../src/session/work/index.ts";
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

const errorsIn = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ rule }) => rule.severity === "error");

/** Lines that a finding lays the failure to: one mistake may be told by another of them. */
const linesOf = ({ frames, crash }: Finding): readonly string[] =>
  [frames, ...(crash?.elsewhere ?? []).map((place) => place.frames)].map(([frame]) => `${frame?.file}:${frame?.line}`);

/** Errors among what one search found that another does not tell. */
export function untold(findings: readonly Finding[], by: readonly Finding[]): readonly Finding[] {
  const told = new Set(errorsIn(by).flatMap((finding) => [finding.fingerprint, ...linesOf(finding)]));
  return errorsIn(findings).filter(
    (finding) => ![finding.fingerprint, ...linesOf(finding)].some((each) => told.has(each)),
  );
}
