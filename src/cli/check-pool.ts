/**
 * Worker threads that judge crash states. Always:
 * - Events, plan and file contents lie in shared memory; a worker has machines of its own and nothing else.
 * - Ranges start in the order in which they were given, so each worker only walks forwards.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type NumberedVersion, SharedVersions } from "../crash/index.ts";
import { type CrashSource, operationAround, type Plan, type StateRange } from "../engines/index.ts";
import type { SharedScratch } from "../host/index.ts";
import { type SharedTrace, shareTrace } from "../trace/index.ts";
import type { Judges, Timed } from "./check-judges.ts";
import type { CheckOptions } from "./check-options.ts";
import type { TracedRun } from "./check-session.ts";

/** Of one check, for each worker once. */
export interface WorkerSetup {
  readonly options: CheckOptions;
  readonly program: readonly string[];
  readonly input: Uint8Array;
  readonly hangLimit: number;
  readonly trace: SharedTrace;
  readonly scratch: SharedScratch | undefined;
  readonly plan: { readonly words: Uint32Array; readonly states: number };
  readonly bases: Uint32Array;
  readonly operations: Uint32Array;
  readonly versionStarts: readonly number[];
  /** Not 0: ranges end after the state under way. */
  readonly stop: Int32Array;
}

export interface WorkerJob {
  readonly range: StateRange;
  readonly known: readonly string[];
  /** The files that the range's crashes need. */
  readonly versions: readonly NumberedVersion[];
}

/** The workers' program; there is none when Blackout runs from its sources. */
const workerFile = (): string => fileURLToPath(new URL("./check-worker.ts", import.meta.url)).replace(/\.ts$/, ".mjs");
export const haveWorkers = (): boolean => existsSync(workerFile());

function shared(words: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(words.byteLength));
  copy.set(words);
  return copy;
}

const sharedPlan = ({ words, states }: Plan) => ({ words: shared(words), states });

export function workerSetup(
  own: Pick<WorkerSetup, "options" | "program" | "input" | "hangLimit" | "stop">,
  { plan, bases, operations }: CrashSource,
  { trace, scratch, history }: TracedRun,
): WorkerSetup {
  return {
    ...own,
    trace: shareTrace(trace),
    scratch: scratch?.shared,
    plan: sharedPlan(plan),
    bases: shared(bases.words),
    operations: shared(operations),
    versionStarts: history.starts,
  };
}

/** The versions of files at a point, and around the operation that is under way there. */
function versionsAt(index: number, { plan, versions, operations, trace }: CrashSource): readonly number[] {
  const { seq } = plan.point(index);
  return [seq, ...operationAround(operations, seq, trace.count)].map((at) => versions.versionAt(at));
}

/** Of a range that ends where its points would need more than so many versions of files; one point always fits. */
const versionsAtOnce = 32;

function versionsOf(range: StateRange, source: CrashSource): { readonly versions: ReadonlySet<number>; to: number } {
  const { plan } = source;
  const first = plan.pointOf(range.from);
  const found = new Set<number>();
  for (let index = first; index < plan.points && plan.first(index) < range.to; index++) {
    if (index > first && found.size >= versionsAtOnce) return { versions: found, to: plan.first(index) };
    for (const version of versionsAt(index, source)) found.add(version);
  }
  return { versions: found, to: range.to };
}

/** As many ranges wait as are under way, so that no worker waits for us. */
const queuedPerWorker = 1;

export async function startPool(setup: WorkerSetup, source: CrashSource, workers: number): Promise<Judges> {
  const { Piscina } = createRequire(import.meta.url)("piscina") as typeof import("piscina");
  const pool = new Piscina<WorkerJob, Timed>({
    filename: workerFile(),
    name: "judgeJob",
    minThreads: workers,
    maxThreads: workers,
    workerData: setup,
  });
  const files = new SharedVersions(source.versions);
  return {
    width: workers * (1 + queuedPerWorker),
    fit: (range) => ({ from: range.from, to: versionsOf(range, source).to }),
    judge: async (range, known) => {
      const versions = files.take(versionsOf(range, source).versions);
      return pool.run({ range, known, versions });
    },
    close: () => pool.destroy(),
  };
}
