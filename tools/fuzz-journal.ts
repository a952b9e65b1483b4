/**
 * Checks that are killed, or told to end, at random moments while their journal is in use, and taken up again:
 * `npx tsx tools/fuzz-journal.ts [SEED] [COUNT]`, fifty times for each seed; unbounded without COUNT.
 */
import { randomSignals, runKilled, undisturbedReport } from "./mutants/kills.ts";

const first = Number(process.argv[2] ?? 0);
const count = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
const kills = 50;
console.log(`journal fuzz, seed ${first}`);
const undisturbed = await undisturbedReport();
for (let seed = first; seed < first + count; seed++) {
  await runKilled(seed, randomSignals(seed, kills), undisturbed);
  console.log(`seed ${seed}: ${kills} signals to a journal in use, the same report`);
}
