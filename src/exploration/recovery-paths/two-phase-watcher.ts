/**
 * Rounds that stand for all, and whole points behind them, each with a watcher of its own: a whole point tells what is in the others
 * once more. Always: once every point is covered, findings are those of the points alone, as often as they show.
 */
import type { EarlyFinding, Finding } from "../../crash/finding/index.ts";
import type { Leaf, TreeWalker } from "../../crash/recovery-tree/index.ts";
import type { LearnWay, WayWatcher } from "./plan.ts";

export class TwoPhaseWatcher implements WayWatcher {
  readonly #rounds: WayWatcher;
  readonly #points: WayWatcher;
  readonly #areAllCovered: () => boolean;

  constructor(rounds: WayWatcher, points: WayWatcher, areAllCovered: () => boolean) {
    this.#rounds = rounds;
    this.#points = points;
    this.#areAllCovered = areAllCovered;
  }

  get found(): number {
    return Math.max(this.#rounds.found, this.#points.found);
  }

  get failing(): ReadonlyMap<number, number> {
    return new Map([...(this.#rounds.failing ?? []), ...(this.#points.failing ?? [])]);
  }

  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    const watch = walker.round?.open === undefined ? this.#points : this.#rounds;
    watch.reached(leaf, point, walker);
  }

  isJudgedAnew(point: number): boolean {
    return this.#points.isJudgedAnew(point);
  }

  news(): readonly EarlyFinding[] {
    return [...(this.#rounds.news?.() ?? []), ...(this.#points.news?.() ?? [])];
  }

  joined(finding: Finding, walker: TreeWalker, learn: LearnWay): Finding {
    return this.#points.joined?.(finding, walker, learn) ?? finding;
  }

  findings(told: ReadonlySet<string>): readonly Finding[] {
    const found = this.#points.findings(told);
    if (this.#areAllCovered()) return found;
    const known = new Set([...told, ...found.map(({ fingerprint }) => fingerprint)]);
    return [...found, ...this.#rounds.findings(known).filter(({ fingerprint }) => !known.has(fingerprint))];
  }
}
