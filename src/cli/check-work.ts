/**
 * The long part of a check: all crash states judged, here or by workers, until they are done or something says stop. Short
 * work stays in this thread; starting workers would take longer.
 */
import { availableParallelism } from "node:os";
import { type CrashSource, FailureTally, type Judge } from "../engines/index.ts";
import { monotonicSeconds, watchInterrupts } from "../host/index.ts";
import { localJudges, type Timed } from "./check-judges.ts";
import type { CheckOptions } from "./check-options.ts";
import { haveWorkers, startPool, workerSetup } from "./check-pool.ts";
import { type Done, Progress } from "./check-progress.ts";
import type { Journaling } from "./check-resume.ts";
import { judgeRest } from "./check-schedule.ts";
import type { TracedRun } from "./check-session.ts";
import { keepCode } from "./kept-files.ts";

/** Why states were left out. */
export type Stop = "interrupt" | "time" | "max-states";

export interface WorkOptions {
  readonly options: CheckOptions;
  readonly program: readonly string[];
  /** What recoveries read. */
  readonly input: Uint8Array;
  readonly run: TracedRun;
  readonly judge: Judge;
  readonly source: CrashSource;
  readonly hangLimit: number;
  /** When the check began. */
  readonly started: number;
  readonly journal: Journaling;
}

/** Work of so many seconds is tried here before workers are started for the rest. */
const tryHereSeconds = 1;
const clockMilliseconds = 100;

export class CheckWork {
  readonly #work: WorkOptions;
  readonly tally = new FailureTally();
  /** The states wanted: all of the plan, or the first of them. */
  readonly #states: number;
  /** Shared with workers: not 0 once ranges should end. */
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #interrupted = false;
  /** States that are here from an earlier run, and how many of them were tested. */
  readonly #before: { readonly states: number; readonly tested: number };
  readonly #progress = new Progress();
  /** Seconds that judges were at work, added up. */
  busySeconds = 0;

  constructor(work: WorkOptions) {
    this.#work = work;
    const { source, options } = work;
    this.#states = Math.min(source.plan.states, options.maxStates ?? Number.POSITIVE_INFINITY);
    for (const judged of work.journal.recorded) this.tally.add(judged);
    this.#before = { states: this.tally.coverage.states, tested: this.tally.tested };
  }

  async run(): Promise<void> {
    const unwatch = watchInterrupts(() => {
      this.#interrupted = true;
      Atomics.store(this.#stop, 0, 1);
    });
    const { jobs } = this.#work.options;
    const workers = jobs ?? availableParallelism();
    const pooled = workers > 1 && haveWorkers();
    try {
      if (!pooled) await this.#here(Number.POSITIVE_INFINITY);
      else if (jobs === undefined) await this.#here(tryHereSeconds);
      if (pooled && !this.#stopped() && this.#left) await this.#pooled(workers);
    } finally {
      unwatch();
      this.#progress.end();
    }
  }

  /** Undefined when every crash state was judged. */
  get stop(): Stop | undefined {
    if (this.#left) return this.#interrupted ? "interrupt" : "time";
    return this.#states < this.#work.source.plan.states ? "max-states" : undefined;
  }

  get #left(): boolean {
    return this.tally.coverage.gaps(this.#states).length > 0;
  }

  #late = (): boolean => {
    const { started, options } = this.#work;
    return monotonicSeconds() - started > (options.time ?? Number.POSITIVE_INFINITY);
  };

  #stopped = (): boolean => this.#interrupted || this.#late();

  #judged = (timed: Timed): void => {
    this.busySeconds += timed.seconds;
    this.#work.journal.add(timed);
    this.#progress.update(this.done);
  };

  get done(): Done {
    const { states } = this.tally.coverage;
    const tested = this.tally.tested - this.#before.tested;
    const skipped = states - this.#before.states - tested;
    return { states, statesInAll: this.#states, tested, skipped, findings: this.tally.causes };
  }

  async #here(seconds: number): Promise<void> {
    const began = monotonicSeconds();
    const stopped = () => this.#stopped() || monotonicSeconds() - began > seconds;
    const judges = localJudges(this.#work.judge, stopped);
    await judgeRest({ judges, states: this.#states, tally: this.tally, stopped, judged: this.#judged });
  }

  async #pooled(workers: number): Promise<void> {
    const { options, program, input, hangLimit, source, run } = this.#work;
    const setup = workerSetup({ options, program, input, hangLimit, stop: this.#stop }, source, run);
    // Workers begin with what this thread has translated.
    keepCode();
    const judges = await startPool(setup, source, workers);
    const clock = setInterval(() => this.#late() && Atomics.store(this.#stop, 0, 1), clockMilliseconds);
    try {
      await judgeRest({
        judges,
        states: this.#states,
        tally: this.tally,
        stopped: this.#stopped,
        judged: this.#judged,
      });
    } finally {
      clearInterval(clock);
      await judges.close();
    }
  }
}
