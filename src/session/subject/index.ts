/** What is looked at: a program with its set-up and its recovery, its traced runs, and where they were. */

export { EndPlaces } from "./end-places.ts";
export type { FileUse } from "./file-use.ts";
export { keepCode } from "./kept-code.ts";
export { type CodeAround, type FunctionEntry, LoadPlaces, type LoopAround, type UsedWord } from "./load-places.ts";
export { NamedStores } from "./named-stores.ts";
export { type ProgramOptions, readSchedule, type SubjectOptions, scheduleText, splitCommand } from "./options.ts";
export { type Places, placesOf } from "./places.ts";
export type { PmHeap } from "./pm-heap.ts";
export { loadProgram, programFile } from "./program.ts";
export { ReadingPlaces } from "./reading-places.ts";
export { type FirstRead, RecoveryReads } from "./recovery-reads.ts";
export { type Interrupts, type ProgramEnd, runProgram } from "./run-program.ts";
export { Subject } from "./subject.ts";
export { type Survey, surveyProgram } from "./survey.ts";
export * from "./trace-sources.ts";
export { TracedRecoveries, type TracedRecovery } from "./traced-recoveries.ts";
export { hasStored, type TracedRun } from "./traced-run.ts";
export { type UserFunction, userFunctions } from "./user-functions.ts";
export { volatileFileLines } from "./volatile-files.ts";
