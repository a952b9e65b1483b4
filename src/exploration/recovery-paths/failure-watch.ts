/** Looks for recoveries that fail. */

import type { EarlyFinding, Finding } from "../../crash/finding/index.ts";
import type { Leaf, PlannedPoints, TreeWalker } from "../../crash/recovery-tree/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { type CreationSeverity, OpenReadsFinder } from "../explain/index.ts";
import { FailedEnds } from "./failed-ends.ts";
import { FailureOrder } from "./failure-order.ts";
import type { LearnWay, WayWatcher } from "./plan.ts";
import type { Verdicts } from "./verdicts.ts";

export class FailureWatch implements WayWatcher {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #creation: CreationSeverity;
  readonly #failed: FailedEnds;
  readonly #explains: boolean;
  #walker: TreeWalker | undefined;
  #order: FailureOrder | undefined;

  /** `explains`: whether each finding says why recovery's loads could read several stores. */
  constructor(
    scene: LeadScene,
    planned: PlannedPoints,
    creation: CreationSeverity,
    explains = false,
    verdicts?: Verdicts,
  ) {
    this.#explains = explains;
    this.#scene = scene;
    this.#planned = planned;
    this.#creation = creation;
    this.#failed = new FailedEnds(scene, planned, creation, verdicts);
  }

  /** Another of the same run, which has seen nothing yet. */
  another(): FailureWatch {
    const { verdicts } = this.#failed;
    return new FailureWatch(this.#scene, this.#planned, this.#creation, this.#explains, verdicts);
  }

  /** The event before which the power is cut where the file that this run creates is complete; 0 when it creates none. */
  get creationEnd(): number {
    return this.#failed.verdicts.creation?.endEvent ?? 0;
  }

  get found(): number {
    return this.#failed.count;
  }

  get failing(): ReadonlyMap<number, number> {
    return this.#failed.failing;
  }

  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    this.#walker = walker;
    this.#failed.add(leaf.ended, point, () => walker.held(), walker.view);
  }

  news(): readonly EarlyFinding[] {
    return this.#failed.news();
  }

  joined(finding: Finding, walker: TreeWalker, learn?: LearnWay): Finding {
    this.#order ??= new FailureOrder(this.#scene, this.#planned, walker);
    return this.#order.joined(finding, learn);
  }

  isJudgedAnew(point: number): boolean {
    return this.#failed.verdicts.isOtherThanBefore(point);
  }

  /** Each with what the order of stores has to do with it. */
  findings(told: ReadonlySet<string>): readonly Finding[] {
    const found = this.#failed.findings(told, (finding) =>
      this.#walker === undefined ? finding : this.joined(finding, this.#walker),
    );
    if (!this.#explains || found.length === 0) return found;
    const reads = new OpenReadsFinder(this.#scene, this.#planned.source);
    return found.map((finding) => reads.joined(finding));
  }
}
