/** The machine: load a program, run it until something happens, look at it, snapshot it, restore it. */

export * from "./cpu/index.ts";
export type { FileContents, FileEntry, FilesSnapshot as FilesNote, FileVersion, StreamPort } from "./files/index.ts";
export {
  dataIn,
  isSamePool,
  isSameTree,
  KnownEntries,
  pagesIn,
  pathFromText,
  poolFileIn,
  poolPathIn,
  textFromPath,
  withPages,
} from "./files/index.ts";
export { type Outcome, signalName } from "./kernel/index.ts";
export type { PageChange } from "./memory/index.ts";
export type { PoolNames } from "./process/index.ts";
export {
  isStep,
  type ReadOfStore,
  type ScheduleChoice,
  type ScheduleOptions,
  stepsIn,
  type ThreadOrder,
  type ThreadView,
} from "./schedule/index.ts";
