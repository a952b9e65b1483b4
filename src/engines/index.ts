/** The analyses, each a folder of its own; none of them knows another. */
import type { CrashEngine } from "../session/work/index.ts";
import { enumerateEngine } from "./compare/index.ts";
import { exploreAgainEngine, exploreEngine } from "./explore/index.ts";
import { injectEngine } from "./inject/index.ts";
import { representEngine } from "./represent/index.ts";
import { robustChainsEngine, robustEngine } from "./robust/index.ts";

export * from "./compare/index.ts";
export * from "./explore/index.ts";
export * from "./inject/index.ts";
export * from "./prove/index.ts";
export * from "./repair/index.ts";
export * from "./represent/index.ts";
export * from "./robust/index.ts";
export * from "./rules/index.ts";
export * from "./symbolic/index.ts";

/** By these a worker finds the engine whose units it is given; what an engine needs of its options is in its setup. */
export const crashEngines: readonly CrashEngine[] = [
  injectEngine() as CrashEngine,
  exploreEngine() as CrashEngine,
  exploreAgainEngine(2) as CrashEngine,
  enumerateEngine() as CrashEngine,
  representEngine() as CrashEngine,
  robustEngine() as CrashEngine,
  robustChainsEngine(2) as CrashEngine,
];
