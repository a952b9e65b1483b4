/** Robustness (PSan): whether every execution after a crash is one that strict persistency allows, too. */
export { OrderBeside } from "./beside.ts";
export { type RobustChainsEngine, robustChainsEngine } from "./chains/engine.ts";
export { type RobustEngine, type RobustOptions, type RobustStatistics, robustEngine } from "./engine.ts";
export { type PlacedStore, StoreHistory } from "./history.ts";
export { type ClockedStore, CrashIntervals, type Observation, type Violation } from "./intervals.ts";
export { orderRules, unfailedRule } from "./rules.ts";
export { type FixPoint, type FoundWith, fixPoint, verifyFixes } from "./verify.ts";
export { orderFixText } from "./words.ts";
