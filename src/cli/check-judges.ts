/** Who judges crash states: this thread, or workers (check-pool.ts). */
import { setImmediate } from "node:timers/promises";
import type { Judge, Judged, JudgeOptions, StateRange } from "../engines/index.ts";
import { monotonicSeconds } from "../host/index.ts";
import { pathFromText } from "../vm/index.ts";
import type { CheckOptions } from "./check-options.ts";

export interface Timed extends Judged {
  readonly seconds: number;
}

export interface Judges {
  /** Ranges that are best under way at once. */
  readonly width: number;
  /** Ranges are given in increasing order; `known` are keys of failures before the range. */
  judge(range: StateRange, known: readonly string[]): Promise<Timed>;
  close(): Promise<void>;
}

export const judgeOptions = ({ expectExit, memo }: CheckOptions, maxInstructions: number): JudgeOptions => ({
  expectExit,
  memo,
  maxInstructions,
  guestPath: pathFromText,
});

export function judgeTimed(judge: Judge, range: StateRange, known: readonly string[], stopped: () => boolean): Timed {
  const started = monotonicSeconds();
  const judged = judge.judge(range, known, stopped);
  return { ...judged, seconds: monotonicSeconds() - started };
}

/** In this thread. Signals and timers get their turn between ranges. */
export const localJudges = (judge: Judge, stopped: () => boolean): Judges => ({
  width: 1,
  judge: async (range, known) => {
    await setImmediate();
    return judgeTimed(judge, range, known, stopped);
  },
  close: async () => {},
});
