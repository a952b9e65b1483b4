/** A worker: judges the units it is given, by an engine that it knows by name. */
import { assert, type HostPorts, type ScratchPort, Stopped } from "../../base/index.ts";
import { type FileVersions, KnownVersions } from "../../crash/states/index.ts";
import { expectLongWork } from "../../host/index.ts";
import { openSharedTrace } from "../../trace/events/index.ts";
import { keepCode, Subject } from "../subject/index.ts";
import type { CrashEngine } from "./engine.ts";
import { judgeTimed, type Timed } from "./judge-pool.ts";
import type { WorkerJob, WorkerSetup } from "./pool.ts";

export type Registry = readonly CrashEngine[];

/** What the worker's entry exports for the pool to call, once for each unit. */
export function startWorker(
  data: unknown,
  registry: Registry,
  ports: HostPorts,
): (job: WorkerJob) => Timed | undefined {
  const setup = data as WorkerSetup;
  const scratch = setup.scratch && ports.openSharedScratch(setup.scratch);
  const versions = new KnownVersions(setup.versionStarts);
  const judge = startJudge(setup, registry, ports, { versions, scratch });
  return (job) => {
    versions.know(job.versions);
    return judge(job.unit, job.hint);
  };
}

/** A judge of one engine's units; `parts` are what the traced run left that no message brings whole. */
export function startJudge(
  setup: Omit<WorkerSetup, "scratch">,
  registry: Registry,
  ports: HostPorts,
  { versions, scratch }: { readonly versions: FileVersions; readonly scratch: Pick<ScratchPort, "read"> | undefined },
): (unit: unknown, hint: unknown) => Timed | undefined {
  expectLongWork();
  const engine = registry.find(({ name }) => name === setup.engine);
  assert(engine !== undefined, "leading thread and workers know the same engines");
  const stopped = () => Atomics.load(setup.stop, 0) !== 0;
  const alarm = () => {
    if (stopped()) throw new Stopped("time", "the leading thread says stop");
  };
  const subject = new Subject(setup.subject, { ...ports, alarm }, ports.inputOf(setup.input));
  const trace = openSharedTrace(setup.trace, scratch);
  const judge = unlessStopped(() => engine.start(setup.setup, { subject, trace, versions, judging: setup.judging }));
  return (unit, hint) => {
    if (judge === undefined) return undefined;
    const timed = judgeTimed(judge, unit, hint, stopped);
    // Nobody tells a worker when it is about to end.
    keepCode();
    return timed && { ...timed, ran: subject.ran.take() };
  };
}

/** The command may end before a worker has begun. */
function unlessStopped<T>(start: () => T): T | undefined {
  try {
    return start();
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  }
}
