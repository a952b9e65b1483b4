/** Crash injection (Mumak, section 4.1): cut the power at failure points, run recovery, judge how it ends. */
export { type InjectOptions, injectEngine, injectSource } from "./engine.ts";
export { InjectJudge } from "./judge.ts";
export { placedPoints } from "./placed-points.ts";
export { FailureTally } from "./tally.ts";
