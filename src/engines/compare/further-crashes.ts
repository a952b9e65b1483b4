/**
 * Crashes inside recoveries, one by one: each recovery that goes well is traced, its crash states are counted as the
 * program's are, and recovery runs on every one of them. Always: nothing is known of what recoveries read.
 */

import {
  type CrashStep,
  type Layout,
  layoutOf,
  type RecoveryEnd,
  type RecoveryMachine,
  TraceCursor,
} from "../../crash/states/index.ts";
import { countStates, stateAt, stepOf } from "../../exploration/nested-crashes/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { TracedRecoveries } from "../../session/subject/index.ts";

/** Told how recovery ends after these crashes, the program's own first: whether further ones inside it are looked at. */
export type Visit = (ended: RecoveryEnd, steps: readonly CrashStep[]) => boolean;

export class FurtherCrashes {
  readonly #traces: TracedRecoveries;
  readonly #recovery: RecoveryMachine;
  readonly #platform: Platform;
  readonly #maxInstructions: number;

  constructor(traces: TracedRecoveries, recovery: RecoveryMachine, platform: Platform, maxInstructions: number) {
    this.#traces = traces;
    this.#recovery = recovery;
    this.#platform = platform;
    this.#maxInstructions = maxInstructions;
  }

  /** Up to so many more crashes behind these, which left this. */
  after(layout: Layout, steps: readonly CrashStep[], more: number, visit: Visit): void {
    if (more === 0) return;
    const { trace, history, firstVersion } = this.#traces.trace(layout);
    const before = { acknowledged: layout.acknowledged, firstVersion };
    const { source, enumerated } = countStates(trace, history, this.#platform, before);
    const cursor = new TraceCursor(source);
    for (const { point, count } of enumerated.points)
      for (let number = 0; number < count; number++) {
        const moment = cursor.before(point.seq);
        const cuts = stateAt(moment, number);
        const left = layoutOf(source, point, moment, cuts);
        const ended = this.#recovery.runPlainly(left, this.#maxInstructions);
        const further = [...steps, stepOf(point, moment, cuts)];
        if (visit(ended, further)) this.after(left, further, more - 1, visit);
      }
  }
}
