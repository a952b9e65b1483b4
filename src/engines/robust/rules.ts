/** What robustness finds: stores that a crash may keep in another order than the one they were made in. */
import type { RuleInfo } from "../../crash/finding/index.ts";

const advice =
  "flush the earlier store and fence before the later one, or put both into one line, whose stores persist in their order.";

export const orderRules = {
  violation: {
    id: "not-robust",
    severity: "error",
    title: "an earlier store may be lost while a later one is kept",
    sentence:
      "Recovery can read a later store and miss an earlier one: values that no crash shows while stores persist in the order in which they are made.",
    advice,
  },
  sameValues: {
    id: "not-robust-same-values",
    severity: "warning",
    title: "an earlier store may be lost while a later one is kept, to the same values",
    sentence:
      "Recovery can read a later store and miss an earlier one; another crash, in which stores persist in their order, shows it the same values.",
    advice,
  },
} as const satisfies Readonly<Record<string, RuleInfo>>;

/** Where recoveries are looked at for failures, and none fails over it. */
export const unfailedRule: RuleInfo = { ...orderRules.violation, severity: "warning" };
