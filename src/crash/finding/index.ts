/** Findings: what they are, how their occurrences are counted, and how they get their places. */

export { confirmedByCrashes } from "./confirmed.ts";
export type { CrashFacts, PlacedMark, PreviousCrash, ReadingFacts, RecoveryChange, StoreFact } from "./crash.ts";
export type { EarlyFinding } from "./early.ts";
export * from "./finding.ts";
export type * from "./history.ts";
export type { CandidateFact, OpenReads, ReadFact, WhyOpen } from "./open-reads.ts";
export type { OrderFacts, OrderFix, SharedObject, StorePair } from "./order.ts";
export { isOwn, type OwnModule, outsideTheSystem, ownModules, ownPosition, statementOf } from "./own-code.ts";
export { isOfSystem, isSystemLibrary, ownCalls, responsibleFor } from "./own-frames.ts";
export { frameWords, placeWords } from "./place-words.ts";
export { withoutReportedPairs } from "./reported-pairs.ts";
export { fingerprintOf, type Resolve, resolveDrafts } from "./resolve.ts";
export { type Counts, countFindings, hasFindings, inOrder, reachesBar, summaryLine } from "./summary.ts";
export { FindingTally, type Occurrence } from "./tally.ts";
