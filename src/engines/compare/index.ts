/**
 * What other tools would do, to compare with: every crash state one by one (Yat), and one recovery for each failure point and choice of
 * stores (Jaaru), run or only counted. Nothing of a check rests on it.
 */
export { EnumeratePlan, enumerateEngine, outcomeText } from "./enumerate.ts";
export { jaaruExecutions } from "./jaaru-count.ts";
export { JaaruPlan, jaaruEngine } from "./jaaru-like.ts";
