/** From a recovery that fails to a finding: what was lost, who is to blame, how to see it again. */
export {
  type Explanation,
  explainState,
  type JudgeOptions,
  type LostStore,
  type StateInQuestion,
  sitesOf,
} from "./culprits.ts";
export { leavesPrefix } from "./earlier.ts";
export { type CrashFailure, Explainer } from "./explainer.ts";
export { Failures, type JudgedOutput, judgedIn } from "./failures.ts";
export { mergeFindings } from "./mistakes.ts";
export { recoveryRules } from "./rules.ts";
