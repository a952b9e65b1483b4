/** Crash injection (Mumak, section 4.1): cut the power at failure points, run recovery, judge how it ends. */
export { BaseLines, type ReadBase } from "./bases.ts";
export { assertionOf, lastWords, verdictFails } from "./failure.ts";
export * from "./judge.ts";
export { operationAround } from "./operations.ts";
export * from "./plan.ts";
export { injectRules } from "./rules.ts";
export { Coverage, type CrashFinding, FailureTally } from "./tally.ts";
