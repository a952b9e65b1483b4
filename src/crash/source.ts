/** All that crash states are made of: a trace, its files at every event, what lines held before it, where operations end. */
import type { Platform } from "../pmem/index.ts";
import { replay, type Trace } from "../trace/index.ts";
import { BaseLines, baseReader } from "./bases.ts";
import type { FileHistory, FileVersions } from "./files.ts";
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
}

/** One walk over the trace, for somebody who knows which crash to look at. */
export function crashSourceOf(
  trace: Trace,
  history: FileHistory,
  guestPath: (path: string) => string,
  platform: Platform = "px86",
): CrashSource {
  const bases = new BaseLines();
  const readBase = bases.recording(baseReader(history, guestPath));
  replay(trace, new CrashWalk(trace.tables, { granularity: "flush", allPoints: false, platform, readBase }));
  return { trace, versions: history, bases, operations: operationEnds(trace), platform };
}
