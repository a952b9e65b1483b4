/** Looks for ways of recovery that read what no crash under strict persistency leaves. */
import type { Finding } from "../../crash/finding/index.ts";
import type { Leaf, PlannedPoints, TreeWalker } from "../../crash/recovery-tree/index.ts";
import { happensBeforeIn, ignoredStores, OrderPairs, WayOrder } from "../../exploration/persist-order/index.ts";
import type { WayWatcher } from "../../exploration/recovery-paths/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { findingsOf } from "./findings.ts";

export class RobustWatch implements WayWatcher {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #order: WayOrder;
  readonly #violating = new Set<number>();
  readonly pairs = new OrderPairs();
  readonly tellsStoresApart = true;

  constructor(scene: LeadScene, planned: PlannedPoints, ignore: readonly string[]) {
    this.#scene = scene;
    this.#planned = planned;
    this.#order = new WayOrder(planned, happensBeforeIn(scene.run), ignoredStores(scene, planned, ignore));
  }

  get found(): number {
    return this.pairs.count;
  }

  /** Different ways that read what strict persistency does not leave. */
  get violating(): number {
    return this.#violating.size;
  }

  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    const judged = this.#order.judge(leaf, walker);
    if (judged === undefined) return;
    const { violations, isCertain, hasStrictTwin } = judged;
    this.#violating.add(leaf.number);
    this.pairs.add(violations, point, () => !isCertain || hasStrictTwin(), this.#planned.points);
  }

  isJudgedAnew(): boolean {
    return false;
  }

  findings(): readonly Finding[] {
    return findingsOf(this.pairs.all(), this.#scene, this.#planned);
  }
}
