/**
 * Commands that write where somebody plants links: `npx tsx tools/fuzz-outputs.ts [SEED] [COUNT]`; unbounded without COUNT.
 */
import { fuzzWhole } from "./mutants/whole/fuzz.ts";
import { runOutputMutant } from "./mutants/whole/outputs.ts";

await fuzzWhole("outputs", runOutputMutant);
