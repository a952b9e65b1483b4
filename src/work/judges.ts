/** Who judges units: this thread, or workers (pool.ts). */
import { monotonicSeconds, turnOfOthers } from "../host/index.ts";
import type { Judge, Judged } from "./engine.ts";

export interface Timed {
  readonly result: Judged<unknown>;
  readonly seconds: number;
}

export interface Judges {
  /** Units that are best under way at once. */
  readonly width: number;
  /** Units are given in the order of their plan. */
  judge(unit: unknown, hint: unknown, versions: Iterable<number>): Promise<Timed>;
  close(): Promise<void>;
}

export type AnyJudge = Judge<unknown, unknown, Judged<unknown>>;

export function judgeTimed(judge: AnyJudge, unit: unknown, hint: unknown, stopped: () => boolean): Timed {
  const started = monotonicSeconds();
  const result = judge.judge(unit, hint, stopped);
  return { result, seconds: monotonicSeconds() - started };
}

/** In this thread. Signals and timers get their turn between units. */
export const localJudges = (judge: AnyJudge, stopped: () => boolean): Judges => ({
  width: 1,
  judge: async (unit, hint) => {
    await turnOfOthers();
    return judgeTimed(judge, unit, hint, stopped);
  },
  close: async () => {},
});
