/**
 * Robustness beside another engine's look for failures, on the same ways: stores out of order that recovery copes with are warnings.
 * Always: only values that no crash leaves while stores persist in their order are told, and nothing of a file that is being created.
 * What only recoveries that fail read is told with their failure: often, the store that is late there let recovery go where it
 * ought never to be, such as into a log that had been cleared.
 */

import type { Finding } from "../../crash/finding/index.ts";
import type { Leaf, PlannedPoints, TreeWalker } from "../../crash/recovery-tree/index.ts";
import { verdictFails } from "../../crash/states/index.ts";
import { happensBeforeIn, OrderPairs, WayOrder } from "../../exploration/persist-order/index.ts";
import type { WayWatcher } from "../../exploration/recovery-paths/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { findingsOf } from "./findings.ts";
import { unfailedRule } from "./rules.ts";

export class OrderBeside implements WayWatcher {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #creationEnd: () => number;
  readonly #pairs = new OrderPairs();
  #order: WayOrder | undefined;

  /** `creationEnd`: the event before which the power is cut where the file that the run creates is complete. */
  constructor(scene: LeadScene, planned: PlannedPoints, creationEnd: () => number) {
    this.#scene = scene;
    this.#planned = planned;
    this.#creationEnd = creationEnd;
  }

  get found(): number {
    return 0;
  }

  /** Contents with equal bytes count as one here, so that a pair may name another store of the same value; whether it is one is the same. */
  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    if (verdictFails(leaf.ended.verdict, this.#scene.judging.expectExit)) return;
    this.#order ??= new WayOrder(this.#planned, happensBeforeIn(this.#scene.run));
    const judged = this.#order.judge(leaf, walker);
    if (!judged?.isCertain || judged.hasStrictTwin()) return;
    this.#pairs.add(judged.violations, point, () => false, this.#planned.points);
  }

  isJudgedAnew(): boolean {
    return false;
  }

  findings(told: ReadonlySet<string>): readonly Finding[] {
    const pairs = this.#pairs.all().filter(({ isError }) => isError);
    if (pairs.length === 0) return [];
    const complete = this.#creationEnd();
    const after = pairs.filter(({ kept }) => kept.store.seq >= complete);
    return findingsOf(after, this.#scene, this.#planned)
      .filter(({ fingerprint }) => !told.has(fingerprint))
      .map((finding) => ({ ...finding, rule: unfailedRule }));
  }
}
