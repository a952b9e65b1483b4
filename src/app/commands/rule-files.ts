/** Rules from `--rule FILE`. They are trusted code: they run in this process, with all its rights. */
import { InputError } from "../../base/index.ts";
import { type CustomRule, ruleCatalogue, rulesOfModule } from "../../engines/index.ts";
import { importFile } from "../../host/index.ts";

export async function loadRules(files: readonly string[]): Promise<readonly CustomRule[]> {
  const rules: CustomRule[] = [];
  for (const file of files) rules.push(...rulesOfModule(file, await importFile(file, "rule")));
  refuseTaken(rules);
  return rules;
}

/** Reports and suppressions name a rule by its id alone. */
function refuseTaken(rules: readonly CustomRule[]): void {
  const taken = new Set(ruleCatalogue.map(({ id }) => id));
  for (const { id } of rules) {
    if (taken.has(id))
      throw new InputError("rules/taken", `There is a rule ${id} already: give yours another id.`, { id });
    taken.add(id);
  }
}
