/** What a reader sees of a report's places. */
import type * as document from "./index.ts";

/** The two tables that places are named by. */
export type PlaceTables = Pick<document.Report, "frames" | "places">;

/** The calls of a place, innermost first. */
export const framesOf = ({ places, frames }: PlaceTables, place: number): document.Frame[] =>
  (places[place]?.frames ?? []).map((index) => frames[index]!);

/** The frame that a reader wants to see: the user's line, else the innermost with a source line, else the innermost. */
export function shownFrame(report: PlaceTables, place: number): document.Frame | undefined {
  const frames = framesOf(report, place);
  const own = report.places[place]?.own;
  if (own !== undefined) return frames[own];
  return frames.find(({ file, line }) => file !== undefined && line !== undefined) ?? frames[0];
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** What calls main, or a thread's function: no reader looks for it. */
const startUp = /^(_start|(__)?libc_start_(main|call_main)(_impl)?|start_thread|(__)?clone3?)$/;

/** Innermost first. A static program has the C library's start among its own functions. */
export function withoutStartUp(frames: readonly document.Frame[]): readonly document.Frame[] {
  const main = frames.findLastIndex(({ function: name }) => name === "main");
  if (main >= 0) return frames.slice(0, main + 1);
  const last = frames.findLastIndex(({ function: name }) => name === undefined || !startUp.test(name));
  return last < 0 ? frames : frames.slice(0, last + 1);
}
