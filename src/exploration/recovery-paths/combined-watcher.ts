/**
 * Ways that one watcher looks at for failures and another for something else beside them. Always: what is judged, and how much of it, is
 * as the first one alone has it.
 */
import type { EarlyFinding, Finding } from "../../crash/finding/index.ts";
import type { Leaf, TreeWalker } from "../../crash/recovery-tree/index.ts";
import type { LearnWay, WayWatcher } from "./plan.ts";

export class CombinedWatcher implements WayWatcher {
  readonly #watch: WayWatcher;
  readonly #beside: WayWatcher;

  constructor(watch: WayWatcher, beside: WayWatcher) {
    this.#watch = watch;
    this.#beside = beside;
  }

  get found(): number {
    return this.#watch.found;
  }

  get failing(): ReadonlyMap<number, number> {
    return this.#watch.failing ?? new Map();
  }

  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    this.#watch.reached(leaf, point, walker);
    this.#beside.reached(leaf, point, walker);
  }

  isJudgedAnew(point: number): boolean {
    return this.#watch.isJudgedAnew(point);
  }

  news(): readonly EarlyFinding[] {
    return this.#watch.news?.() ?? [];
  }

  joined(finding: Finding, walker: TreeWalker, learn: LearnWay): Finding {
    return this.#watch.joined?.(finding, walker, learn) ?? finding;
  }

  findings(told: ReadonlySet<string>): readonly Finding[] {
    return [...this.#watch.findings(told), ...this.#beside.findings(told)];
  }
}
