/**
 * The long part of a session: one engine's units judged, here or by workers, until they are done or something says stop.
 * Short work stays in this thread; starting workers would take longer.
 */
import { type HostPorts, Stopped } from "../../base/index.ts";
import {
  coreCount,
  cpuSeconds,
  expectLongWork,
  monotonicSeconds,
  type WorkerProgram,
  watchInterrupts,
} from "../../host/index.ts";
import { keepCode } from "../subject/index.ts";
import type { CrashEngine, LeadScene, Plan, PlanLimit, UnitResult } from "./engine.ts";
import type { Journaling } from "./journaling.ts";
import { type JudgePool, localJudges, type Timed } from "./judge-pool.ts";
import type { NewsDesk } from "./news.ts";
import { type Fleet, startPool, type WorkerSetup, workerSetup } from "./pool.ts";
import { judgeRest } from "./schedule.ts";

/** Why work was left undone. */
export type Stop = "interrupt" | "time" | "host-memory" | "max-states" | PlanLimit;

/** How far an engine is. */
export interface Done {
  readonly engine: string;
  /** Items judged by now, with those of an earlier run. */
  readonly items: number;
  readonly itemsInAll: number;
  /** Since this run began: how many items took a run, and how many were answered for by what was known. */
  readonly tested: number;
  readonly skipped: number;
  readonly findings: number;
}

export interface WorkLimits {
  readonly jobs?: number;
  /** In seconds, from the session's start. */
  readonly time?: number;
  readonly maxItems?: number;
}

export interface WorkContext {
  readonly scene: LeadScene;
  /** Which of several scenes it is, as the journal names it after the engine; the first has no name. */
  readonly part: string;
  readonly limits: WorkLimits;
  /** Seconds of the processor that this work may take, all threads together, where it has no end of its own. */
  readonly allowance?: number;
  /** When the session began. */
  readonly started: number;
  readonly journal: Journaling;
  readonly host: HostPorts;
  readonly workers: WorkerProgram | undefined;
  /** Other computers, which judge in place of this one's workers. */
  readonly fleet?: Fleet | undefined;
  readonly engineFiles?: readonly string[];
  progress(done: Done): void;
  readonly news: NewsDesk;
  /** Makes something without an eye on the clock: what was found is told also when the time is over. */
  unhurried<T>(make: () => T): T;
}

/** Work of so many seconds is tried here before workers are started for the rest. */
const tryHereSeconds = 1;
const clockMilliseconds = 100;
/** More threads than that only wait for each other, and each has a machine of its own. */
const mostPerCore = 2;

export class Work {
  readonly #engine: CrashEngine;
  readonly #context: WorkContext;
  readonly plan: Plan<unknown, unknown, unknown, UnitResult<unknown>>;
  /** Shared with workers: not 0 once units should end. */
  readonly #stop = new Int32Array(new SharedArrayBuffer(4));
  #interrupted = false;
  /** For units that no other computer could judge. */
  #judgesHere: JudgePool | undefined;
  /** What the command's alarm said. */
  #limit: Stopped["limit"] | undefined;
  /** Items that are here from an earlier run, and how many of them were tested. */
  readonly #before: { readonly items: number; readonly tested: number };
  readonly #cpuBegan = cpuSeconds();
  /** Seconds that judges were at work, added up. */
  busySeconds = 0;

  constructor(engine: CrashEngine, context: WorkContext) {
    this.#engine = engine;
    this.#context = context;
    const { maxItems = Number.POSITIVE_INFINITY, time } = context.limits;
    this.plan = engine.plan(context.scene, { maxItems, isTimed: time !== undefined });
    context.journal.takeUp(this.#name, ({ result, ran = {} }) => {
      this.plan.add(result);
      context.scene.subject.ran.add(ran);
    });
    this.#before = { items: this.plan.done, tested: this.plan.tested };
  }

  async run(): Promise<void> {
    this.#context.news.tell({ kind: "judging", engine: this.#engine.name });
    const unwatch = watchInterrupts(() => {
      this.#interrupted = true;
      Atomics.store(this.#stop, 0, 1);
    });
    const { limits, workers, fleet, scene } = this.#context;
    const count = Math.min(limits.jobs ?? coreCount(), mostPerCore * coreCount(), Math.max(1, this.plan.items));
    try {
      if (fleet !== undefined) await this.#pooled((setup) => fleet.start(setup, scene, this.#judgeHere));
      else if (count === 1 || workers === undefined) await this.#here(Number.POSITIVE_INFINITY);
      else {
        if (limits.jobs === undefined) await this.#here(tryHereSeconds);
        if (!this.#stopped() && this.#left) await this.#pooled((setup) => startPool(workers, setup, scene, count));
      }
    } finally {
      await unwatch();
    }
  }

  /** In the journal. */
  get #name(): string {
    return `${this.#engine.name}${this.#context.part}`;
  }

  /** Undefined when everything was judged. */
  get stop(): Stop | undefined {
    if (this.#interrupted) return "interrupt";
    if (this.#left) return this.#limit ?? this.plan.limit ?? "time";
    const { states, statesInAll } = this.plan.extent;
    return states < statesInAll ? "max-states" : undefined;
  }

  get done(): Done {
    const { done: items, tested: testedInAll, items: itemsInAll, found: findings } = this.plan;
    const tested = testedInAll - this.#before.tested;
    // An item may take several runs, as a point does in Jaaru's way.
    const skipped = Math.max(0, items - this.#before.items - tested);
    return { engine: this.#engine.name, items, itemsInAll, tested, skipped, findings };
  }

  get #left(): boolean {
    return this.plan.done < this.plan.items;
  }

  #late = (): boolean => {
    const { started, limits, allowance } = this.#context;
    // The processor's seconds cost more to ask for than the clock's.
    const isOver = (seconds: number | undefined, taken: () => number) => seconds !== undefined && taken() > seconds;
    return (
      isOver(limits.time, () => monotonicSeconds() - started) || isOver(allowance, () => cpuSeconds() - this.#cpuBegan)
    );
  };

  /** Whether the command's time or memory is used up. */
  #alarmed(): boolean {
    try {
      this.#context.host.alarm?.();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.#limit = error.limit;
    }
    return this.#limit !== undefined;
  }

  #stopped = (): boolean => this.#interrupted || this.#late() || this.#alarmed();

  #judged = ({ result, seconds, ran: workers = {} }: Timed): void => {
    const { scene, journal, progress, news } = this.#context;
    this.busySeconds += seconds;
    scene.subject.ran.add(workers);
    const ran = scene.subject.ran.take();
    journal.add({ engine: this.#name, result, ...(ran && { ran }) });
    for (const finding of this.plan.news?.() ?? []) news.finding(finding);
    progress(this.done);
  };

  #judgeHere: JudgePool["judge"] = (unit, hint, versions) => {
    this.#judgesHere ??= localJudges(this.#engine.start(this.plan.setup, this.#context.scene), this.#stopped);
    return this.#judgesHere.judge(unit, hint, versions);
  };

  async #here(seconds: number): Promise<void> {
    const began = monotonicSeconds();
    const taken = () => monotonicSeconds() - began;
    const stopped = () => this.#stopped() || taken() > seconds;
    const judge = this.#engine.start(this.plan.setup, this.#context.scene);
    const judges = localJudges(judge, stopped);
    const judged = (timed: Timed): void => {
      if (taken() > tryHereSeconds) expectLongWork();
      this.#judged(timed);
    };
    await judgeRest({ plan: this.plan, judges, stopped, judged });
  }

  async #pooled(start: (setup: WorkerSetup) => Promise<JudgePool>): Promise<void> {
    const { scene, engineFiles = [] } = this.#context;
    const own = { engine: this.#engine.name, engineFiles, setup: this.plan.setup, stop: this.#stop };
    // Workers begin with what this thread has translated.
    keepCode();
    const judges = await start(workerSetup(own, scene));
    const clock = setInterval(
      () => (this.#late() || this.#alarmed()) && Atomics.store(this.#stop, 0, 1),
      clockMilliseconds,
    );
    try {
      await judgeRest({ plan: this.plan, judges, stopped: this.#stopped, judged: this.#judged });
    } finally {
      clearInterval(clock);
      await judges.close();
    }
  }
}
