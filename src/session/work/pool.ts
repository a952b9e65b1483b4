/**
 * Worker threads that judge units. Always:
 * - Events and file contents lie in shared memory, as does what setups put there; a worker has machines of its own and
 *   nothing else.
 * - Units start in the order in which they were given, so each worker only walks forwards.
 */
import type { SharedScratch } from "../../base/index.ts";
import { type Judging, type SentVersions, SharedVersions } from "../../crash/states/index.ts";
import { startThreads, type WorkerProgram } from "../../host/index.ts";
import { type SharedTrace, shareTrace } from "../../trace/events/index.ts";
import type { SubjectOptions } from "../subject/index.ts";
import type { LeadScene } from "./engine.ts";
import type { JudgePool, Timed } from "./judge-pool.ts";

/** Of one engine's work, for each worker once. */
export interface WorkerSetup {
  readonly engine: string;
  /** Modules with engines of the user's own. */
  readonly engineFiles: readonly string[];
  readonly setup: unknown;
  readonly subject: SubjectOptions;
  readonly input: Uint8Array;
  readonly judging: Judging;
  readonly trace: SharedTrace;
  readonly scratch: SharedScratch | undefined;
  readonly versionStarts: readonly number[];
  /** Not 0: units end after the item under way. */
  readonly stop: Int32Array;
}

export interface WorkerJob {
  readonly unit: unknown;
  readonly hint: unknown;
  readonly versions: SentVersions;
}

export function workerSetup(
  own: Pick<WorkerSetup, "engine" | "engineFiles" | "setup" | "stop">,
  { subject, judging, run, input }: LeadScene,
): WorkerSetup {
  return {
    ...own,
    subject: subject.options,
    judging,
    input,
    trace: shareTrace(run.trace),
    scratch: run.scratch?.shared,
    versionStarts: run.history.starts,
  };
}

/** Other computers that judge. */
export interface Fleet {
  /** `here` judges a unit that no other computer could judge. */
  start(setup: WorkerSetup, scene: LeadScene, here: JudgePool["judge"]): Promise<JudgePool>;
}

/** As many units wait as are under way, so that no worker waits for us. */
const queuedPerWorker = 1;

export async function startPool(
  program: WorkerProgram,
  setup: WorkerSetup,
  { versions }: LeadScene,
  workers: number,
): Promise<JudgePool> {
  const threads = await startThreads<WorkerJob, Timed | undefined>(program, workers, setup);
  const files = new SharedVersions(versions);
  return {
    width: workers * (1 + queuedPerWorker),
    judge: async (unit, hint, needed) => threads.run({ unit, hint, versions: files.take(needed) }),
    close: () => threads.close(),
  };
}
