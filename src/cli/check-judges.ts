/** Who judges crash states: this thread, or workers (check-pool.ts). */
import { setImmediate } from "node:timers/promises";
import type { Recovery } from "../crash/index.ts";
import { type CrashSource, Judge, type Judged, type JudgeOptions, type StateRange } from "../engines/index.ts";
import { monotonicSeconds } from "../host/index.ts";
import { pathFromText } from "../vm/index.ts";
import type { CheckOptions } from "./check-options.ts";
import type { CheckSession } from "./check-session.ts";

export interface Timed extends Judged {
  readonly seconds: number;
}

export interface Judges {
  /** Ranges that are best under way at once. */
  readonly width: number;
  /** The part of a range, from its beginning, that should be judged at once. */
  fit(range: StateRange): StateRange;
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

/** A judge with machines of its own, or with a recovery that is there already. */
export const judgeFor = (
  source: CrashSource,
  session: CheckSession,
  options: CheckOptions,
  hangLimit: number,
  recovery: Recovery = session.recovery().recovery,
): Judge =>
  new Judge(
    source,
    recovery,
    judgeOptions(options, hangLimit),
    options.oracle === "output" ? session.recovery().recovery : undefined,
  );

export function judgeTimed(judge: Judge, range: StateRange, known: readonly string[], stopped: () => boolean): Timed {
  const started = monotonicSeconds();
  const judged = judge.judge(range, known, stopped);
  return { ...judged, seconds: monotonicSeconds() - started };
}

/** In this thread. Signals and timers get their turn between ranges. */
export const localJudges = (judge: Judge, stopped: () => boolean): Judges => ({
  width: 1,
  fit: (range) => range,
  judge: async (range, known) => {
    await setImmediate();
    return judgeTimed(judge, range, known, stopped);
  },
  close: async () => {},
});
