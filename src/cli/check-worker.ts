/** A worker of `blackout check`: judges the ranges of crash states it is given. Bundled as a program of its own. */
import { workerData } from "node:worker_threads";
import { KnownVersions } from "../crash/index.ts";
import { BaseLines, Plan } from "../engines/index.ts";
import { ReplayableInput, ScratchFile } from "../host/index.ts";
import { openSharedTrace } from "../trace/index.ts";
import { judgeFor, judgeTimed, type Timed } from "./check-judges.ts";
import type { WorkerJob, WorkerSetup } from "./check-pool.ts";
import { CheckSession } from "./check-session.ts";
import { keepCode } from "./kept-files.ts";

function start(setup: WorkerSetup): (job: WorkerJob) => Timed {
  const { options, program, input, hangLimit, plan, stop } = setup;
  const session = new CheckSession(options, program, ReplayableInput.of(input));
  const scratch = setup.scratch && ScratchFile.shared(setup.scratch);
  const versions = new KnownVersions(setup.versionStarts);
  const source = {
    trace: openSharedTrace(setup.trace, scratch),
    plan: new Plan(plan.words, plan.states),
    bases: new BaseLines(setup.bases),
    operations: setup.operations,
    versions,
  };
  const judge = judgeFor(source, session, options, hangLimit);
  const stopped = () => Atomics.load(stop, 0) !== 0;
  return (job) => {
    versions.know(job.versions);
    const timed = judgeTimed(judge, job.range, job.known, stopped);
    // Nobody tells a worker when it is about to end.
    keepCode();
    return timed;
  };
}

export const judgeJob = start(workerData as WorkerSetup);
