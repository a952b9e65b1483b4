/** Worker threads, and this thread's turn among timers and signals. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";

export const coreCount = (): number => availableParallelism();

/** Timers and signals are seen to before this goes on. */
export const turnOfOthers = (): Promise<void> => setImmediate();

/** A module that exports `judgeUnit`, and how Node is to load it. */
export interface WorkerProgram {
  readonly file: string;
  readonly execArgv?: readonly string[];
}

export interface Threads<Job, Result> {
  run(job: Job): Promise<Result>;
  close(): Promise<void>;
}

/** Undefined when there is no such file: Blackout runs from its sources. */
export const workerProgram = (file: string): WorkerProgram | undefined => (existsSync(file) ? { file } : undefined);

/** Each thread gets `data` when it starts. */
export async function startThreads<Job, Result>(
  { file, execArgv = [] }: WorkerProgram,
  count: number,
  data: unknown,
): Promise<Threads<Job, Result>> {
  const { Piscina } = createRequire(import.meta.url)("piscina") as typeof import("piscina");
  const pool = new Piscina<Job, Result>({
    filename: file,
    name: "judgeUnit",
    minThreads: count,
    maxThreads: count,
    workerData: data,
    execArgv: [...execArgv],
  });
  return { run: (job) => pool.run(job), close: () => pool.destroy() };
}
