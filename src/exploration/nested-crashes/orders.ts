/** Crash states to run recovery on, as plain data: they go to other threads and into journals. */

import type { UnitResult } from "../../session/work/index.ts";
import type { ToldRun } from "../recovery-paths/index.ts";

/** A line: its file, its index in it, and what it holds in 16 words. */
export type OrderedLine = readonly number[];

/** Files that a recovery made by calls: the state that it began with, and which of its versions. */
export interface FilesMade {
  readonly by: CrashOrder;
  readonly version: number;
}

/** What crashes leave, the first of them at a point of the program. */
export interface CrashOrder {
  readonly point: number;
  /** Lines that hold something else than at that point with every store. */
  readonly lines: readonly OrderedLine[];
  /** The program's own as of the point if not given. */
  readonly files?: FilesMade;
}

/** Of what recovery asks, so many questions are known already. */
export interface OrderedRun extends CrashOrder {
  readonly depth: number;
}

export interface OrderedUnit {
  readonly runs: readonly OrderedRun[];
}

export interface OrderedResult extends UnitResult<OrderedUnit> {
  readonly told: readonly ToldRun[];
}

export const orderKey = ({ point, lines, files }: CrashOrder): string =>
  `${point} ${lines.map((line) => line.join()).join(" ")}${files === undefined ? "" : ` ${filesKey(files)}`}`;

export const filesKey = ({ by, version }: FilesMade): string => `(${orderKey(by)})${version}`;
