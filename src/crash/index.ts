/** Crashes: where they are considered, what they leave, and how recovery takes it. */

export {
  exportFiles,
  type FileEntry,
  FileHistory,
  type FileVersion,
  type FileVersions,
  importFiles,
  versionBefore,
} from "./files.ts";
export { KnownVersions, type NumberedVersion, SharedVersions } from "./known-versions.ts";
export * from "./lines.ts";
export { type FilePlace, type Mapping, Mappings } from "./mappings.ts";
export { type Answers, type Question, RecoveryMemo } from "./memo.ts";
export { smallestFailing } from "./minimise.ts";
export * from "./points.ts";
export * from "./recoveries.ts";
export * from "./recovery.ts";
export * from "./states.ts";
export { CrashWalk, type Moment, type WalkOptions } from "./walk.ts";
