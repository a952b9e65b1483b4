/** Every rule that a command may report. */
import type { RuleInfo } from "../../crash/finding/index.ts";
import { crashEngines, ruleCatalogue } from "../../engines/index.ts";
import { readsNothingRule } from "../../exploration/explain/index.ts";

/** By id; engines that look for the same have the same rules. */
export const allRules = (): ReadonlyMap<string, RuleInfo> =>
  new Map(
    [...ruleCatalogue, ...crashEngines.flatMap(({ rules }) => rules), readsNothingRule].map((rule) => [rule.id, rule]),
  );
