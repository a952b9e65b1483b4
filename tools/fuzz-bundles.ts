/** Bundles from strangers: `npx tsx tools/fuzz-bundles.ts [SEED] [COUNT]`; unbounded without COUNT. */

import { runBundleMutant } from "./mutants/whole/bundles.ts";
import { fuzzWhole } from "./mutants/whole/fuzz.ts";

await fuzzWhole("bundles", runBundleMutant);
