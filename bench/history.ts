/**
 * Figures with their bounds, and what they were in earlier runs: `bench/history.jsonl` has a line for each run of
 * `make bench`, the newest last, so that a slide shows. Importing this only reads that file.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A figure holds if it is no more than `most` and no less than `least`; `goal` is what it is to be one day. */
export interface Bound {
  readonly most?: number;
  readonly least?: number;
  readonly goal?: number;
}

interface Run {
  readonly commit: string;
  readonly figures: Readonly<Record<string, number>>;
  /** Names of the figures that missed their bounds. */
  readonly missed: readonly string[];
}

const file = join(import.meta.dirname, "history.jsonl");
const keptRuns = 30;

const earlier: readonly Run[] = existsSync(file)
  ? readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Run)
  : [];
const figures: Record<string, number> = {};
const missed: string[] = [];

const rounded = (value: number): number => Number(value.toPrecision(3));

/** The newest earlier value: a run may have been of some benches only. */
const last = (name: string): number | undefined => earlier.findLast((run) => name in run.figures)?.figures[name];

/** Notes a figure and says it: with its unit, its bound and whether that holds, and what it was the last time. */
export function figure(name: string, value: number, unit: string, bound: Bound = {}): string {
  figures[name] = rounded(value);
  const { most, least, goal } = bound;
  const holds = value <= (most ?? Number.POSITIVE_INFINITY) && value >= (least ?? Number.NEGATIVE_INFINITY);
  if (!holds) missed.push(name);
  const before = last(name);
  const parts = [
    ...(most === undefined ? [] : [`at most ${rounded(most)}: ${holds ? "holds" : "**missed**"}`]),
    ...(least === undefined ? [] : [`at least ${rounded(least)}: ${holds ? "holds" : "**missed**"}`]),
    ...(goal === undefined ? [] : [`goal ${rounded(goal)}`]),
    ...(before === undefined ? [] : [`last ${before}`]),
  ];
  const text = `${rounded(value)} ${unit}`.trim();
  return parts.length === 0 ? text : `${text} (${parts.join(", ")})`;
}

/** Names of the figures so far that missed their bounds. */
export const missedBounds = (): readonly string[] => missed;

/** Adds this run to the file, as far as it has come: each call writes what the last one wrote, and more. */
export function keepFigures(): void {
  const commit = execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim();
  const runs: readonly Run[] = [...earlier.slice(1 - keptRuns), { commit, figures, missed }];
  writeFileSync(file, `${runs.map((run) => JSON.stringify(run)).join("\n")}\n`);
}
