/** Rules over a trace: missing and needless flushes and fences, overwritten stores, misused transactions. */
export { ruleCatalogue } from "./catalogue.ts";
export { buildRulesCore } from "./core/index.ts";
export {
  type CustomRule,
  CustomRules,
  type FailedRule,
  type RuleContext,
  type RuleRun,
  rulesOfModule,
  type TypeLookup,
} from "./custom.ts";
export { defaultRulesOptions, RulesEngine, type RulesOptions, rulesFor } from "./engine.ts";
export type { PmMode, Rule, Words } from "./rule.ts";
export { type RulesTraceOptions, rulesEngine } from "./trace-engine.ts";
