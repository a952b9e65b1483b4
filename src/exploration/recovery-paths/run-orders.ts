/** Recoveries to be run, and what they told, as plain data: units of work that go to other threads and into journals. */

import type { Held } from "../../crash/recovery-tree/index.ts";
import type { RecoveryEnd } from "../../crash/states/index.ts";
import type { UnitResult } from "../../session/work/index.ts";

/** Recovery on one crash state. What it asks first, up to `depth` questions, is known already. */
export interface RunOrder {
  readonly point: number;
  readonly held: readonly Held[];
  readonly depth: number;
}

export interface RunUnit {
  readonly runs: readonly RunOrder[];
}

export interface ToldRun {
  /** The questions behind the known ones, packed (packed-questions.ts). */
  readonly asked: string;
  readonly texts: readonly string[];
  readonly ended: RecoveryEnd;
}

/** Of each run of the unit, in its order. */
export interface RunsResult extends UnitResult<RunUnit> {
  readonly told: readonly ToldRun[];
}
