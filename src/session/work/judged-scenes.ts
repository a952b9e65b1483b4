/**
 * All engines' work on one scene after another, and what it comes to. Always: a finding that two scenes show is told once, as the
 * first shows it.
 */
import type { Finding } from "../../crash/finding/index.ts";
import type { CrashEngine, Extent, LeadScene } from "./engine.ts";
import type { Remembered } from "./remembered.ts";
import { type Stop, Work, type WorkContext } from "./work.ts";

/** Where everything was judged, that is as many as one likes. */
const lostLinesIn = ({ points, pointsInAll, lostLines = 0 }: Extent): number =>
  points === pointsInAll ? Number.POSITIVE_INFINITY : lostLines;

const withLostLines = (lostLines: number): Pick<Extent, "lostLines"> =>
  lostLines > 0 && Number.isFinite(lostLines) ? { lostLines } : {};

const together = (a: Extent, b: Extent): Extent => ({
  ...withLostLines(Math.min(lostLinesIn(a), lostLinesIn(b))),
  points: a.points + b.points,
  pointsInAll: a.pointsInAll + b.pointsInAll,
  states: a.states + b.states,
  statesInAll: a.statesInAll + b.statesInAll,
  leftOut: (a.leftOut ?? 0) + (b.leftOut ?? 0),
  uncovered: [...(a.uncovered ?? []), ...(b.uncovered ?? [])],
});

/** Of an engine that goes on, whatever was found: one mistake often hides another. */
const leastSeconds = 10;

const isCreating =
  (path: string) =>
  ({ crash }: Finding): boolean =>
    crash?.creating === path;

export class JudgedScenes {
  readonly #engines: readonly CrashEngine[];
  readonly #context: Omit<WorkContext, "scene" | "part">;
  readonly #remembered: Remembered | undefined;
  readonly #findings = new Map<string, Finding>();
  /** The scene that showed each first. */
  readonly #scenes = new Map<string, LeadScene>();
  extent: Extent = { points: 0, pointsInAll: 0, states: 0, statesInAll: 0 };
  /** Of the first work that was left undone. */
  stop: Stop | undefined;
  tested = 0;
  skipped = 0;
  busySeconds = 0;

  constructor(
    engines: readonly CrashEngine[],
    context: Omit<WorkContext, "scene" | "part">,
    remembered: Remembered | undefined,
  ) {
    this.#remembered = remembered;
    this.#engines = engines;
    this.#context = context;
  }

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** `part` tells this scene's entries in the journal from others'. Returns how many findings are new. */
  async judge(scene: LeadScene, part: string): Promise<number> {
    const limits = this.#left();
    const found: Finding[] = [];
    const isFresh = ({ fingerprint }: Finding) => !this.#findings.has(fingerprint);
    for (const engine of this.#engines) {
      const work = new Work(engine, { ...this.#context, limits, scene, part });
      await work.run();
      this.#add(work);
      const findings = this.#context.unhurried(() => work.plan.findings());
      this.#remembered?.add(scene, work.plan, findings.filter(isFresh));
      found.push(...findings);
      if (work.stop === "interrupt") break;
    }
    const fresh = found.filter(isFresh);
    for (const finding of found) this.#merge(finding, fresh.includes(finding), scene);
    return fresh.length;
  }

  /**
   * Another engine after all others are done: what it leaves undone is no reason to stop. Without a limit of the session's own
   * it may take as much of the processor as they did, and a while at least; how busy the computer is makes no difference.
   */
  async goOn(engine: CrashEngine, scene: LeadScene, cpuSecondsSoFar: number): Promise<Extent> {
    const { limits } = this.#context;
    const seconds = Math.max(leastSeconds, cpuSecondsSoFar);
    const allowance = limits.time === undefined ? { allowance: seconds } : {};
    const work = new Work(engine, { ...this.#context, ...allowance, scene, part: "" });
    await work.run();
    if (work.stop === "interrupt") this.stop = work.stop;
    this.busySeconds += work.busySeconds;
    const { extent } = work.plan;
    this.#join(work.plan, scene);
    const before = this.findings;
    const told = new Set(before.flatMap(({ fingerprint, also = [] }) => [fingerprint, ...also]));
    // A file's creation is one finding, at whichever of its moments an engine tells it.
    const isTold = ({ fingerprint, crash }: Finding) =>
      told.has(fingerprint) || (crash?.creating !== undefined && before.some(isCreating(crash.creating)));
    const fresh = this.#context.unhurried(() => work.plan.findings(told)).filter((finding) => !isTold(finding));
    for (const finding of fresh) this.#findings.set(finding.fingerprint, finding);
    this.#remembered?.add(scene, work.plan, fresh);
    return extent;
  }

  #join(plan: Work["plan"], scene: LeadScene): void {
    for (const [key, finding] of this.#findings)
      if (this.#scenes.get(key) === scene)
        this.#findings.set(
          key,
          this.#context.unhurried(() => plan.joined?.(finding) ?? finding),
        );
  }

  /** What an earlier scene took of the limit is gone. */
  #left(): WorkContext["limits"] {
    const { maxItems, ...rest } = this.#context.limits;
    return maxItems === undefined ? rest : { ...rest, maxItems: Math.max(0, maxItems - this.extent.states) };
  }

  #add({ plan, stop, done, busySeconds }: Work): void {
    this.extent = together(this.extent, plan.extent);
    this.stop ??= stop;
    this.tested += done.tested;
    this.skipped += done.skipped;
    this.busySeconds += busySeconds;
  }

  #merge(finding: Finding, isFresh: boolean, scene: LeadScene): void {
    const { fingerprint } = finding;
    const known = this.#findings.get(fingerprint);
    // Engines may say the same of one scene in their own words.
    const key = isFresh && known !== undefined ? `${fingerprint} ${this.#findings.size}` : fingerprint;
    this.#findings.set(key, isFresh || !known ? finding : { ...known, count: known.count + finding.count });
    if (!this.#scenes.has(key)) this.#scenes.set(key, scene);
  }
}
