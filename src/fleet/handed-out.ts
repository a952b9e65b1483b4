/**
 * Units that workers judge, as jobs of a queue. Always:
 * - A unit has one result, whoever judges it how often: the first counts.
 * - Near the end, a unit that takes much longer than others do is handed out once more: its worker may be slow, or far away.
 * - A result is of the unit that was asked for, or says what is left of it. A unit that no worker
 *   judged in three tries, or that was answered with anything else, is nobody's: the leader judges it.
 */
import { type Timed, timedFrom, timedText } from "../session/work/index.ts";
import { daySeconds, type UnitJob } from "./names.ts";

const tries = 3;
/** A unit is slow that has been out for so many times the median, and for so long. */
const slowFactor = 4;
const slowSeconds = 5;
/** After everybody was told to stop, so long for the results under way. */
const stopMilliseconds = 3000;

/** What a worker's job came to; undefined: it was stopped. */
export type UnitAnswer = Timed | undefined | "nobody";

/** As much of BullMQ's queue as units need. */
export interface UnitQueue {
  add(name: string, job: UnitJob, options: object): Promise<unknown>;
  remove(jobId: string): Promise<number>;
  getJob(
    jobId: string,
  ): Promise<
    { isCompleted(): Promise<boolean>; isFailed(): Promise<boolean>; readonly returnvalue: unknown } | undefined
  >;
}

/** As it travels. */
const textOf = (result: Timed["result"]): string => timedText({ result, seconds: 0 });

const isAnswerTo = (unit: unknown, { unit: judged, rest }: Timed["result"]): boolean =>
  rest !== undefined || textOf({ unit, tested: 0 }) === textOf({ unit: judged, tested: 0 });

interface Unit {
  readonly job: UnitJob;
  readonly unit: unknown;
  readonly since: number;
  /** Jobs under way for it. */
  readonly jobs: Set<string>;
  settle(judged: UnitAnswer): void;
}

export class HandedOut {
  readonly #queue: UnitQueue;
  readonly #session: string;
  readonly #clock: () => number;
  readonly #byJob = new Map<string, Unit>();
  readonly #units = new Set<Unit>();
  readonly #seconds: number[] = [];
  #jobs = 0;

  constructor(queue: UnitQueue, session: string, clock: () => number) {
    this.#queue = queue;
    this.#session = session;
    this.#clock = clock;
  }

  get count(): number {
    return this.#units.size;
  }

  async judge(unit: unknown, job: UnitJob): Promise<UnitAnswer> {
    let out: Unit | undefined;
    const result = new Promise<UnitAnswer>((settle) => {
      out = { job, unit, since: this.#clock(), jobs: new Set(), settle };
    });
    this.#units.add(out!);
    await this.#add(out!);
    const judged = await result;
    this.#units.delete(out!);
    for (const jobId of out!.jobs) {
      this.#byJob.delete(jobId);
      this.#queue.remove(jobId).catch(() => {});
    }
    return judged;
  }

  async #add(unit: Unit): Promise<void> {
    const jobId = `${this.#session}-${this.#jobs++}`;
    unit.jobs.add(jobId);
    this.#byJob.set(jobId, unit);
    await this.#queue.add("unit", unit.job, {
      jobId,
      attempts: tries,
      removeOnComplete: { age: daySeconds },
      removeOnFail: { age: daySeconds },
    });
  }

  completed(jobId: string, returned: unknown): void {
    const out = this.#byJob.get(jobId);
    if (out === undefined) return;
    if (returned === "stopped") return out.settle(undefined);
    const timed = typeof returned === "string" ? timedFrom(returned) : undefined;
    if (timed === undefined || !isAnswerTo(out.unit, timed.result)) return this.failed(jobId);
    this.#seconds.push(timed.seconds);
    out.settle(timed);
  }

  /** Of several jobs for a unit the last that fails is nobody's. */
  failed(jobId: string): void {
    const out = this.#byJob.get(jobId);
    if (out === undefined) return;
    out.jobs.delete(jobId);
    this.#byJob.delete(jobId);
    if (out.jobs.size === 0) out.settle("nobody");
  }

  /** Results whose message was lost, as when Redis was away. */
  async lookForResults(): Promise<void> {
    for (const jobId of [...this.#byJob.keys()]) {
      const job = await this.#queue.getJob(jobId);
      if (job === undefined) continue;
      if (await job.isCompleted()) this.completed(jobId, job.returnvalue);
      else if (await job.isFailed()) this.failed(jobId);
    }
  }

  /** While workers have nothing else to do: fewer units are out than they judge at once. */
  async repeatSlow(slots: number): Promise<void> {
    if (this.#units.size >= slots || this.#seconds.length === 0) return;
    const median = this.#seconds.toSorted((a, b) => a - b)[Math.floor(this.#seconds.length / 2)]!;
    const longest = Math.max(slowSeconds, slowFactor * median);
    for (const unit of [...this.#units])
      if (unit.jobs.size === 1 && this.#clock() - unit.since > longest) await this.#add(unit);
  }

  /** What has not begun does not begin, and what is under way ends soon. */
  stop(): void {
    for (const { jobs, settle } of [...this.#units]) {
      const removed = [...jobs].map((jobId) => this.#queue.remove(jobId));
      Promise.all(removed)
        .then((counts) => counts.every((count) => count > 0) && settle(undefined))
        .catch(() => {});
      setTimeout(() => settle(undefined), stopMilliseconds).unref();
    }
  }

  async removeAll(): Promise<void> {
    await Promise.all([...this.#byJob.keys()].map((jobId) => this.#queue.remove(jobId)));
  }
}
