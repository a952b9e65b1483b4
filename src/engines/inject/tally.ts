/**
 * What judged ranges say together. Always: the order in which ranges come, and how states were split into them, make no
 * difference once they cover the same states.
 */
import { assert } from "../../base/index.ts";
import type { CrashFailure } from "../../exploration/explain/index.ts";
import { placeKey } from "../../session/work/index.ts";
import type { FailureGroup, StateExplanation, StatesResult } from "./judge.ts";
import type { StateTable } from "./plan.ts";

export interface InjectedFailure extends CrashFailure, StateExplanation {
  /** The first crash state that shows it. */
  readonly state: number;
}

export class FailureTally {
  readonly #groups = new Map<string, FailureGroup>();
  /** States that recovery ran on. */
  tested = 0;

  add(judged: StatesResult): void {
    this.tested += judged.tested;
    for (const group of judged.groups) {
      const known = this.#groups.get(group.key);
      const first = known === undefined || group.state < known.state ? group : known;
      const last = Math.max(group.last, known?.last ?? 0);
      this.#groups.set(group.key, { ...first, last, count: group.count + (known?.count ?? 0) });
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

  /** Groups in the order of their first states. */
  get groups(): readonly FailureGroup[] {
    return [...this.#groups.values()].sort((a, b) => a.state - b.state);
  }

  /** By place, as `placeKey` names it: the crash states that recovery fails on. Those of one group are all of one place. */
  failingAt(table: StateTable): ReadonlyMap<string, number> {
    const failing = new Map<string, number>();
    for (const { state, count } of this.#groups.values()) {
      const key = placeKey(table.point(table.pointOf(state)));
      failing.set(key, (failing.get(key) ?? 0) + count);
    }
    return failing;
  }

  findings(table: StateTable, groups = this.groups): InjectedFailure[] {
    const findings = new Map<string, InjectedFailure>();
    for (const { explanation, state, count } of groups) {
      assert(explanation !== undefined, "the first state of a group is explained");
      const known = findings.get(explanation.cause);
      const first = known ?? { ...explanation, point: table.point(table.pointOf(state)), state, count: 0 };
      findings.set(explanation.cause, { ...first, count: first.count + count });
    }
    return [...findings.values()];
  }
}
