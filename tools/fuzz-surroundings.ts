/**
 * Commands where the system gives little: `npx tsx tools/fuzz-surroundings.ts [SEED] [COUNT]`; unbounded without COUNT. Needs root.
 */
import { fuzzWhole } from "./mutants/whole/fuzz.ts";
import { runSurroundingsMutant } from "./mutants/whole/surroundings.ts";

await fuzzWhole("surroundings", runSurroundingsMutant);
