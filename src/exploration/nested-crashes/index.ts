/**
 * Crashes inside recoveries: what several power cuts may leave, one after another, and every way that recovery can go on it
 * (docs/adr/0053-crashes-inside-recovery.md).
 */

export {
  type CountedPoint,
  countStates,
  type EnumeratedStates,
  pointOf,
  stateAt,
  stepOf,
  versionsOfStates,
} from "./every-state.ts";
export { type EndsAtPoint, ExplainedCrashes, type FailingSteps } from "./explained.ts";
export { AgainJudge, type AgainSetup } from "./judge.ts";
export type { OrderedResult, OrderedUnit } from "./orders.ts";
export { type AgainOptions, AgainPlan } from "./plan.ts";
