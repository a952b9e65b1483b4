/** All that crash states are made of: a trace, its files at every event, what lines held before it, where operations end. */
import type { Platform } from "../../model/pmem/index.ts";
import { replay, type Trace } from "../../trace/events/index.ts";
import { BaseLines, baseReader } from "./bases.ts";
import type { FileVersions, TracedFiles } from "./files.ts";
import { operationEnds } from "./operations.ts";
import { CrashWalk } from "./walk.ts";

export interface CrashSource {
  readonly trace: Trace;
  readonly versions: FileVersions;
  readonly bases: BaseLines;
  /** Where operations end. */
  readonly operations: Uint32Array;
  /** What survives a crash; Px86 if not given. */
  readonly platform?: Platform;
  /** Of a recovery's trace: what had been printed when it began. */
  readonly acknowledged?: readonly Uint8Array[] | undefined;
  /** What is added to the trace's own numbers of versions, so that those of different traces differ; 0 if not given. */
  readonly firstVersion?: number;
}

/** Persistent files by number, as the trace names them: also those that are mapped later than a point. */
export const poolsOf = ({ trace }: Pick<CrashSource, "trace">): readonly string[] => trace.tables.texts.pools;

/** What a crash before the trace left for it, where it is a recovery's. */
export type SourceBefore = Pick<CrashSource, "acknowledged" | "firstVersion">;

/** One walk over the trace, for somebody who knows which crash to look at. */
export function crashSourceOf(
  trace: Trace,
  history: TracedFiles,
  platform: Platform = "px86",
  before: SourceBefore = {},
): CrashSource {
  const bases = new BaseLines();
  const readBase = bases.recording(baseReader(history));
  const { acknowledged } = before;
  const options = { granularity: "flush", allPoints: false, platform, acknowledged, readBase } as const;
  replay(trace, new CrashWalk(trace.tables, options));
  return sourceWith(bases, trace, history, platform, before);
}

/** What was worked out by a walk over the trace. What a recovery prints ends no operation of the program. */
export function sourceWith(
  bases: BaseLines,
  trace: Trace,
  versions: FileVersions,
  platform: Platform,
  before: SourceBefore = {},
): CrashSource {
  const operations = before.acknowledged === undefined ? operationEnds(trace) : new Uint32Array();
  return { trace, versions, bases, operations, platform, ...before };
}
