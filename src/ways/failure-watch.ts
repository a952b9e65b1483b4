/** Looks for recoveries that fail. */
import type { CreationSeverity } from "../explain/index.ts";
import type { Finding } from "../finding/index.ts";
import type { Leaf, PlannedPoints, TreeWalker } from "../tree/index.ts";
import type { LeadScene } from "../work/index.ts";
import { FailedEnds } from "./failed-ends.ts";
import type { WayWatcher } from "./plan.ts";

export class FailureWatch implements WayWatcher {
  readonly #failed: FailedEnds;

  constructor(scene: LeadScene, planned: PlannedPoints, creation: CreationSeverity) {
    this.#failed = new FailedEnds(scene, planned, creation);
  }

  get found(): number {
    return this.#failed.count;
  }

  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    this.#failed.add(leaf.ended, point, () => walker.held(), walker.view);
  }

  isJudgedAnew(point: number): boolean {
    return this.#failed.verdicts.isOtherThanBefore(point);
  }

  findings(told: ReadonlySet<string>): readonly Finding[] {
    return this.#failed.findings(told);
  }
}
