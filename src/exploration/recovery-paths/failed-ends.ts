/**
 * The ends of recovery that are failures, and what is reported of them. Crashes while the run creates its file are told apart:
 * they are one finding of their own kind.
 */

import type { EarlyFinding, Finding } from "../../crash/finding/index.ts";
import type { Held, PlannedPoints, PointView } from "../../crash/recovery-tree/index.ts";
import { leakFailure, type RecoveryEnd } from "../../crash/states/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { type Creation, type CreationSeverity, creationFinding } from "../explain/index.ts";
import { type FailingWay, FailingWays } from "./failures.ts";
import { Verdicts } from "./verdicts.ts";

/** How recovery fails, and without the stores of which places. */
const causeOf = ({ failure, sites }: FailingWay): string => `${failure} ${[...sites.keys()].join()}`;

/** What else is said of each failure. */
type Joined = (finding: Finding) => Finding;

export class FailedEnds {
  readonly #planned: PlannedPoints;
  readonly #creation: CreationSeverity;
  readonly verdicts: Verdicts;
  readonly #during: FailingWays;
  readonly #after: FailingWays;

  constructor(
    scene: LeadScene,
    planned: PlannedPoints,
    creation: CreationSeverity,
    verdicts = new Verdicts(scene, planned),
  ) {
    this.#planned = planned;
    this.#creation = creation;
    this.verdicts = verdicts;
    this.#during = new FailingWays(planned.points, planned.stores);
    this.#after = new FailingWays(planned.points, planned.stores);
  }

  readonly #news: EarlyFinding[] = [];
  /** By point, how many ways fail that no point before it has. */
  readonly failing = new Map<number, number>();

  get count(): number {
    return this.#after.count + Math.min(1, this.#during.count);
  }

  /** How recovery ends on a state of the point, at which the view stands. */
  add(ended: RecoveryEnd, point: number, held: () => readonly Held[], view: PointView): void {
    const failure = this.verdicts.failureOf(ended, point);
    if (failure === undefined) return;
    this.failing.set(point, (this.failing.get(point) ?? 0) + 1);
    const { creation } = this.verdicts;
    const lost = () => this.#lost(point, held());
    const isDuring = failure !== leakFailure && creation?.has(point, ended.verdict, lost) === true;
    const first = (isDuring ? this.#during : this.#after).add(failure, point, held(), view);
    if (first !== undefined && !isDuring) this.#news.push(this.verdicts.early(first, ended));
  }

  /** Failures that no smaller one before explains, since this was asked last; crashes during creation are told at the end. */
  news(): readonly EarlyFinding[] {
    return this.#news.splice(0);
  }

  /** What loses a store of a function that is told to be at fault is not explained again, nor what is an error already. */
  findings(told: ReadonlySet<string> = new Set(), joined: Joined = (finding) => finding): readonly Finding[] {
    const isNews = (way: FailingWay) => !this.verdicts.mistakesOf(way).some((one) => told.has(one));
    const after = this.#after.smallest().filter(isNews);
    if (after.length === 0 && this.#during.count === 0) return [];
    const { creation } = this.verdicts;
    const later = this.verdicts.findings(after, joined);
    if (creation === undefined) return later;
    const causes = new Set(after.map(causeOf));
    const isOwn = (way: FailingWay) => way.sites.size === 0 || (isNews(way) && !causes.has(causeOf(way)));
    return [...this.#creationFinding(this.#during.smallest().filter(isOwn), creation, joined), ...later];
  }

  #creationFinding(ways: readonly FailingWay[], creation: Creation, joined: Joined): readonly Finding[] {
    const shown = ways.find(({ held }) => held.length === 0) ?? ways[0];
    if (shown === undefined || this.#creation === "ignore") return [];
    const count = ways.reduce((sum, way) => sum + way.count, 0);
    return creationFinding(this.verdicts.findings([{ ...shown, count }], joined), creation, this.#creation);
  }

  #lost(point: number, held: readonly Held[]): ReadonlySet<number> {
    const { points, stores } = this.#planned;
    const { cuts } = points.tables;
    const lost = held.flatMap(([line, content]) => {
      const [, high] = points.window(line, point);
      return Array.from(stores.of(line, cuts[2 * content]!, cuts[2 * high]!), ({ store }) => store.seq);
    });
    return new Set(lost);
  }
}
