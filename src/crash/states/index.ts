/** Crashes: where they are considered, what they leave, how recovery takes it, and how to see one again. */

export { BaseLines, baseReader, type ReadLine } from "./bases.ts";
export { type Choice, type CutChoice, choiceText, isScheduleChoice, parseChoices } from "./choice.ts";
export { type CrashStep, crashOf, crashSteps, cutBefore, stepChoices } from "./crash-steps.ts";
export { TraceCursor } from "./cursor.ts";
export { runUnlessEndless } from "./endless.ts";
export { assertionOf, describeVerdict, failureKey, lastWords, verdictFails, wrongOutput } from "./failure.ts";
export { FileHistory, type FileVersions, type TracedFiles, versionBefore, versionOf } from "./files.ts";
export { type FollowUp, FollowUps } from "./follow-ups.ts";
export { KnownVersions, type SentVersions, SharedVersions } from "./known-versions.ts";
export { choiceOf, crashedAt, crashedFiles, cutsOf, layoutOf, type SparseFile } from "./layout.ts";
export { leakFailure } from "./leaks.ts";
export { checkLegal } from "./legal-states.ts";
export { type Answers, type Question, RecoveryMemo } from "./memo.ts";
export { smallestFailing } from "./minimise.ts";
export { operationAfter, operationAround, operationEnds } from "./operations.ts";
export { type JudgedOutput, judgedIn, RecoveryOracle } from "./oracle.ts";
export * from "./outcomes.ts";
export * from "./points.ts";
export * from "./recovery-machine.ts";
export { crashAt, type ReplayAnswer, type Replayed, replayCrash } from "./replay.ts";
export { type CrashSource, crashSourceOf, type SourceBefore, sourceWith } from "./source.ts";
export { PointChooser } from "./spread.ts";
export { type RecoveryUses, StartedRecovery } from "./started-recovery.ts";
export * from "./states.ts";
export { LeakSearch, type PoolObject } from "./unreached.ts";
export { CrashWalk, type Moment, type WalkOptions } from "./walk.ts";
export {
  type Judging,
  type PrintedWrong,
  readWitnesses,
  type Witness,
  type WitnessSubject,
  witnessText,
} from "./witness.ts";
