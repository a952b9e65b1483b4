/**
 * Random file calls below `--rw` beside canary files: `npx tsx tools/fuzz-grants.ts [SEED] [COUNT]`; unbounded without COUNT.
 * Whatever two guests do that share a granted directory, nothing beside it changes.
 */
import { runGrantMutant } from "./mutants/grants.ts";

const first = Number(process.argv[2] ?? 0);
const count = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
const reportEvery = 100;
let calls = 0;
console.log(`grants fuzz, seed ${first}`);
for (let seed = first; seed < first + count; seed++) {
  try {
    calls += runGrantMutant(seed);
  } catch (error) {
    console.log(`seed ${seed} failed`);
    throw error;
  }
  if ((seed - first + 1) % reportEvery === 0) console.log(`seed ${seed}: ${calls} calls, no canary changed`);
}
console.log(`${calls} calls, no canary changed`);
