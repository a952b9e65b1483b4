/** What a reader sees of a report's places. */
import { printable } from "../base/index.ts";
import type * as document from "./index.ts";

/** The calls of a place, innermost first. */
export const framesOf = ({ places, frames }: document.Report, place: number): document.Frame[] =>
  (places[place]?.frames ?? []).map((index) => frames[index]!);

/** The frame that a reader wants to see: the user's line, else the innermost with a source line, else the innermost. */
export function shownFrame(report: document.Report, place: number): document.Frame | undefined {
  const frames = framesOf(report, place);
  const own = report.places[place]?.own;
  if (own !== undefined) return frames[own];
  return frames.find(({ file, line }) => file !== undefined && line !== undefined) ?? frames[0];
}

/** "insert() at list.c:31:5" or "in /usr/lib/libfoo.so+0x1234". */
export function placeText({ function: name, file, line, column, module, offset, address }: document.Frame): string {
  const where = [file, line, column].filter((part) => part !== undefined).join(":");
  const binary = module === undefined ? "" : `(${module}+${offset ?? address})`;
  return printable([name, where === "" ? binary : where].filter((part) => part !== undefined && part !== "").join(" "));
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
