/**
 * What judged ranges say together. Always: the order in which ranges come, and how states were split into them, make no
 * difference once they cover the same states.
 */
import { assert } from "../../base/index.ts";
import type { FailurePoint } from "../../crash/index.ts";
import type { Explanation, FailureGroup, Judged, StateRange } from "./judge.ts";
import type { Plan } from "./plan.ts";

export interface CrashFinding extends Explanation {
  readonly point: FailurePoint;
  /** The first crash state that shows it. */
  readonly state: number;
  /** Crash states that show it. */
  readonly count: number;
}

/** States that were looked at, as ranges that do not touch, in order. */
export class Coverage {
  #ranges: readonly StateRange[] = [];

  get states(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  add({ from, to }: StateRange): void {
    if (from === to) return;
    const apart = this.#ranges.filter((range) => range.to < from || range.from > to);
    const touching = this.#ranges.filter((range) => range.to >= from && range.from <= to);
    const whole = {
      from: Math.min(from, ...touching.map((range) => range.from)),
      to: Math.max(to, ...touching.map((range) => range.to)),
    };
    this.#ranges = [...apart, whole].sort((a, b) => a.from - b.from);
  }

  has({ from, to }: StateRange): boolean {
    return this.#ranges.some((range) => range.from <= from && range.to >= to);
  }

  /** What is left of the first `states`. */
  gaps(states: number): StateRange[] {
    const ends = [0, ...this.#ranges.map(({ to }) => to)];
    const begins = [...this.#ranges.map(({ from }) => from), states];
    return ends.map((from, at) => ({ from, to: Math.min(begins[at]!, states) })).filter(({ from, to }) => from < to);
  }
}

export class FailureTally {
  readonly coverage = new Coverage();
  readonly #groups = new Map<string, FailureGroup>();
  /** States that recovery ran on. */
  tested = 0;

  add(judged: Judged): void {
    this.coverage.add(judged);
    this.tested += judged.tested;
    for (const group of judged.groups) {
      const known = this.#groups.get(group.key);
      const first = known === undefined || group.state < known.state ? group : known;
      this.#groups.set(group.key, { ...first, count: group.count + (known?.count ?? 0) });
    }
  }

  /** Keys of failures at states before this one. */
  keysBefore(state: number): string[] {
    return [...this.#groups.values()].filter((group) => group.state < state).map(({ key }) => key);
  }

  /** Causes met so far: what a reader will see as findings. */
  get causes(): number {
    return new Set([...this.#groups.values()].map(({ explanation }) => explanation?.cause)).size;
  }

  findings(plan: Plan): CrashFinding[] {
    const findings = new Map<string, CrashFinding>();
    for (const { explanation, state, count } of [...this.#groups.values()].sort((a, b) => a.state - b.state)) {
      assert(explanation !== undefined, "the first state of a group is explained");
      const known = findings.get(explanation.cause);
      const first = known ?? { ...explanation, point: plan.point(plan.pointOf(state)), state, count: 0 };
      findings.set(explanation.cause, { ...first, count: first.count + count });
    }
    return [...findings.values()];
  }
}
