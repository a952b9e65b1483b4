/** `blackout check` for programs: the same pipeline with the same defaults, findings as data. */
import {
  type Checked,
  type CheckOptions,
  checkDefaults,
  checkProgram,
  type PipelinePorts,
  type ProgressPort,
} from "./app/pipeline/index.ts";
import { realPorts, startAlarm, type WorkerProgram } from "./host/index.ts";
import type { SubjectOptions } from "./session/subject/index.ts";

export type { Checked } from "./app/pipeline/index.ts";

export interface CheckRequest extends Partial<SubjectOptions>, Partial<Omit<CheckOptions, "subject">> {
  /** The program and its arguments. */
  readonly program: readonly string[];
  /** The workers' program; without it, everything is judged in this thread. */
  readonly workers?: WorkerProgram;
  progress?: ProgressPort["update"];
}

/** What of a request makes its subject; the rest says how that is checked. */
const subjectFields: Readonly<Record<keyof SubjectOptions, true>> = {
  ...{
    program: true,
    directory: true,
    root: true,
    readable: true,
    env: true,
    seed: true,
    cpu: true,
    limits: true,
    jit: true,
  },
  ...{ setup: true, recover: true, furtherRecoveries: true, thenCommand: true, pm: true, pmMode: true, pmHeap: true },
  ...{ annotated: true, grants: true, measured: true, patches: true, removed: true, schedule: true, meetings: true },
  ...{ notesCode: true, findsLeaks: true, byteWords: true },
};

const fieldsOf = (request: object, isWanted: (field: string) => boolean): object =>
  Object.fromEntries(Object.entries(request).filter(([field, value]) => isWanted(field) && value !== undefined));

/** Runs a program, cuts the power at its failure points, and runs its recovery on what a crash leaves. */
export async function check(request: CheckRequest): Promise<Checked> {
  const { workers, progress = () => undefined, ...given } = request;
  const real = realPorts();
  const ports: PipelinePorts = {
    // This process may hold what it likes unless the caller sets a limit.
    host: ({ time: seconds, maxHostMemory: bytes = Number.POSITIVE_INFINITY }) => ({
      ...real,
      alarm: startAlarm({ seconds, bytes }),
    }),
    workers,
    progress: () => ({ update: progress, end: () => undefined }),
  };
  const subject: SubjectOptions = {
    program: request.program,
    directory: real.directory,
    ...{ env: [], seed: 0, cpu: "v3", limits: {}, jit: true, pm: [], pmMode: "dax", annotated: false },
    ...fieldsOf(given, (field) => field in subjectFields),
  };
  const options = { ...checkDefaults, ...fieldsOf(given, (field) => !(field in subjectFields)), subject };
  const result = await checkProgram(options, ports);
  result.finish();
  return result;
}
