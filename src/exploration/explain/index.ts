/** From a recovery that fails to a finding: what was lost, who is to blame, how to see it again. */
export {
  Creation,
  type CreationSeverity,
  creationFinding,
  creationOf,
  creationRule,
  creationSeverities,
} from "./creation.ts";
export {
  type Explanation,
  explainState,
  type LostStore,
  lostStores,
  type StateInQuestion,
  sitesOf,
  storeIn,
} from "./culprits.ts";
export { type EarlyFailure, earlyFinding } from "./early-finding.ts";
export { type CrashFailure, Explainer } from "./explainer.ts";
export { kindOfFailure } from "./failure-kind.ts";
export { withHistories } from "./histories.ts";
export { mergeFindings, mistakeOf } from "./mistakes.ts";
export { OpenReadsFinder } from "./open-reads.ts";
export { ReadsNothing, readsNothingRule } from "./reads-nothing.ts";
export { withRecoveryLoads } from "./recovery-loads.ts";
export { recoveryRules } from "./rules.ts";
export { StoreFacts } from "./store-facts.ts";
export { settledByCrashes } from "./unconfirmed.ts";
