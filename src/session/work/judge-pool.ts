/** Who judges units: this thread, or workers (pool.ts). */
import { Stopped } from "../../base/index.ts";
import { monotonicSeconds, turnOfOthers } from "../../host/index.ts";
import type { RanBlocks } from "../../machine/index.ts";
import type { Judge, UnitResult } from "./engine.ts";

export interface Timed {
  readonly result: UnitResult<unknown>;
  readonly seconds: number;
  /** Code that a worker's machines ran and that it has not told of yet. */
  readonly ran?: RanBlocks | undefined;
}

export interface JudgePool {
  /** Units that are best under way at once. */
  readonly width: number;
  /** Units are given in the order of their plan. */
  /** Undefined: the command's time or memory was used up meanwhile, and nothing is known of the unit. */
  judge(unit: unknown, hint: unknown, versions: Iterable<number>): Promise<Timed | undefined>;
  close(): Promise<void>;
}

export type AnyJudge = Judge<unknown, unknown, UnitResult<unknown>>;

export function judgeTimed(judge: AnyJudge, unit: unknown, hint: unknown, stopped: () => boolean): Timed | undefined {
  const started = monotonicSeconds();
  try {
    const result = judge.judge(unit, hint, stopped);
    return { result, seconds: monotonicSeconds() - started };
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  }
}

/** In this thread. Signals and timers get their turn between units. */
export const localJudges = (judge: AnyJudge, stopped: () => boolean): JudgePool => ({
  width: 1,
  judge: async (unit, hint) => {
    await turnOfOthers();
    return judgeTimed(judge, unit, hint, stopped);
  },
  close: async () => {},
});
