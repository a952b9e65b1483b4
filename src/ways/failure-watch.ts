/** Looks for recoveries that fail. */
import type { Finding } from "../finding/index.ts";
import type { Leaf, PlannedPoints, TreeWalker } from "../tree/index.ts";
import type { LeadScene } from "../work/index.ts";
import { FailingWays } from "./failures.ts";
import type { WayWatcher } from "./plan.ts";
import { Verdicts } from "./verdicts.ts";

export class FailureWatch implements WayWatcher {
  readonly #failures: FailingWays;
  readonly #verdicts: Verdicts;

  constructor(scene: LeadScene, planned: PlannedPoints) {
    this.#failures = new FailingWays(planned.points, planned.stores);
    this.#verdicts = new Verdicts(scene, planned);
  }

  get found(): number {
    return this.#failures.count;
  }

  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    const failure = this.#verdicts.failureOf(leaf.ended, point);
    if (failure !== undefined) this.#failures.add(failure, point, walker.held(), walker.view);
  }

  isJudgedAnew(point: number): boolean {
    return this.#verdicts.isOtherThanBefore(point);
  }

  findings(): readonly Finding[] {
    return this.#verdicts.findings(this.#failures.smallest());
  }
}
