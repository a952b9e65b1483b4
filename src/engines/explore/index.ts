/** Exhaustive exploration (Jaaru): every crash state of every failure point, by what recovery reads of it. */
export { type AgainEngine, type AgainStatistics, exploreAgainEngine } from "./again.ts";
export { type ExploreEngine, type ExploreOptions, exploreEngine } from "./engine.ts";
export type { ExploreStatistics } from "./statistics.ts";
