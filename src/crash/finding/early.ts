/** What is known of a finding as soon as it is explained. The report says it again, put together with what else shows it and in full. */
import type { Frame } from "../../trace/events/index.ts";
import type { RuleInfo } from "./finding.ts";

export interface EarlyFinding {
  readonly rule: RuleInfo;
  /** The place that it is laid to by now: a store that was lost, or where the power was cut. */
  readonly frames: readonly Frame[];
  readonly says: string;
  /** The mistakes that it may be, by their fingerprints: of each, one early finding is enough. */
  readonly mistakes: readonly string[];
}
