/**
 * What recovery does with the state that it fails on though every store was kept: the function of the user's that reads it, from the
 * read to where it is left, and what that led to; or what recovery itself changes. That is where to look, whoever complained.
 */

import type { CrashFacts, PlacedMark, ReadingFacts, RecoveryChange } from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import type * as document from "../document/index.ts";
import { bareName, baseName } from "../document/index.ts";
import type { PlaceTable } from "./place-table.ts";

export interface RecoveryPart {
  /** "recover (allocator.c:57-71) reads what is left". */
  readonly says: string;
  readonly places: readonly document.MarkedPlace[];
}

const inFunction = ({ function: name }: Frame, where: string): string =>
  name === undefined ? where : `${bareName(name)} (${where})`;

/** "allocator.c:57-71". */
function linesOf({ file, line }: Frame, end?: Frame): string {
  const other = end?.file === file ? end?.line : undefined;
  const lines = [...new Set([line!, other ?? line!])].sort((a, b) => a - b);
  return `${baseName(file!)}:${lines.join("-")}`;
}

const hasSource = (frame: Frame | undefined): frame is Frame => frame?.file !== undefined && frame.line !== undefined;

const readAt = (
  says: string,
  { mark: { seq: event, thread } }: PlacedMark,
  frames: readonly Frame[],
  own: number,
  places: PlaceTable,
): document.MarkedPlace => ({ role: "read", says, event, thread, place: places.add(frames, own) });

function readingOf({ read, name, own, end, last }: ReadingFacts, places: PlaceTable): RecoveryPart | undefined {
  const frame = read.frames[own];
  // Whose code it is, the report knows better.
  if (!hasSource(frame) || (places.own(read.frames) ?? own + 1) > own) return undefined;
  const lastOwn = (last && places.own(last.frames)) ?? -1;
  const led = last?.frames[lastOwn];
  const first = inFunction(frame, linesOf(frame, end));
  return {
    says: hasSource(led)
      ? `${first} and ${inFunction(led, linesOf(led))} read what is left`
      : `${first} reads what is left`,
    places: [
      readAt(`recovery reads ${name ?? "what is left"} here`, read, read.frames, own, places),
      ...(end ? [readAt("and has done with it here", read, [end, ...read.frames.slice(own + 1)], 0, places)] : []),
      ...(hasSource(led) ? [readAt("and here what that led to", last!, last!.frames, lastOwn, places)] : []),
    ],
  };
}

function changeOf(change: RecoveryChange, places: PlaceTable): RecoveryPart | undefined {
  const own = places.own(change.frames) ?? -1;
  const frame = change.frames[own];
  if (!hasSource(frame)) return undefined;
  const what = change.name ?? "what is left";
  return {
    says: `${inFunction(frame, linesOf(frame))} changes ${what}`,
    places: [readAt(`recovery changes ${what} here`, change, change.frames, own, places)],
  };
}

export function recoveryPart(crash: CrashFacts, places: PlaceTable): RecoveryPart | undefined {
  const { reading, change } = crash;
  if (reading === undefined) return change && changeOf(change, places);
  return isEnd(crash, reading, places) ? undefined : readingOf(reading, places);
}

/** Whether recovery hung or was killed in the function that reads it, or while that ran: the place of that is told. */
function isEnd({ verdict, ended }: CrashFacts, { read, own, ...reading }: ReadingFacts, places: PlaceTable): boolean {
  if (verdict.kind === "exit") return false;
  const last = ended?.frames[places.own(ended.frames) ?? -1]?.function;
  return reading.ended === true || reading.end === undefined || last === read.frames[own]?.function;
}
