/**
 * The recovery tree: every crash state of a trace by what recovery asks of it (Jaaru's lazy exploration, with one tree for all
 * failure points). Engines that look at each way a recovery can go are built on it.
 */
export { type Asked, AskedList, foldedBit, type OtherQuestion } from "./asked.ts";
export { wordsPerLine } from "./content-words.ts";
export { bytesDigest, FileDigests } from "./file-digests.ts";
export { FoldedCode } from "./folded-code.ts";
export { codeNamed, loopName, type NamedCode, spokenCode } from "./folded-names.ts";
export { type Folds, foldedWays, plainWays } from "./folds.ts";
export { GrowingWords } from "./growing-words.ts";
export { type OrderedState, orderedStates } from "./ordered-states.ts";
export { OtherAnswers } from "./other-answers.ts";
export { type PlannedPoints, planPoints } from "./plan-points.ts";
export { PointView } from "./point-view.ts";
export { type Held, PointRunner } from "./runner.ts";
export { StoresByLine, type StoreTable } from "./stores-by-line.ts";
export { type PointTables, TracePoints } from "./trace-points.ts";
export { type AnswerNumber, type Leaf, type Question, RecoveryTree, type Stretch } from "./tree.ts";
export { TreeWalker } from "./walker.ts";
export type { Round, UnknownWay, WalkerHooks } from "./walks.ts";
