/** Crash injection: cut the power at failure points, run recovery, judge how it ends. */
export * from "./engine.ts";
export { injectRules } from "./rules.ts";
