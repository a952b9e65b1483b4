/** Commands with random options: `npx tsx tools/fuzz-options.ts [SEED] [COUNT]`; unbounded without COUNT. */
import { fuzzWhole } from "./mutants/whole/fuzz.ts";
import { runOptionsMutant } from "./mutants/whole/options.ts";

await fuzzWhole("options", runOptionsMutant);
