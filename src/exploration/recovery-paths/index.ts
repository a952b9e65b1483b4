/**
 * Every way that recovery can go, as work for a session: who walks the tree, who runs recoveries for it, and what is said of
 * recoveries that fail. An engine says what it looks for at the end of each way (`WayWatcher`).
 */

export { CombinedWatcher } from "./combined-watcher.ts";
export { FailedEnds } from "./failed-ends.ts";
export { FailureWatch } from "./failure-watch.ts";
export { lostSites, placeOf, type StorePlace, smallestWays, textOrder } from "./failures.ts";
export { annotatedFolds, findFolds } from "./found-folds.ts";
export { WaysJudge, type WaysSetup } from "./judge.ts";
export { nextRuns } from "./next-runs.ts";
export { packQuestions, unpackNumbers, unpackQuestions } from "./packed-questions.ts";
export { type WaysLimits, WaysPlan, type WayWatcher, wholePoints } from "./plan.ts";
export type { RunsResult, RunUnit, ToldRun } from "./run-orders.ts";
export { SharedWays } from "./shared-ways.ts";
export { type Estimate, limitAfter, Started, startedRuns } from "./started.ts";
export { TwoPhaseWatcher } from "./two-phase-watcher.ts";
