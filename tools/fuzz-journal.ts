/**
 * Checks and explorations that are killed, or told to end, at random moments while their journal is in use, and taken up again:
 * `npx tsx tools/fuzz-journal.ts [SEED] [COUNT]`, fifty times for each seed; unbounded without COUNT.
 */
import { type Command, disturbed, randomSignals, runKilled, undisturbedReport } from "./mutants/kills.ts";

const first = Number(process.argv[2] ?? 0);
const count = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
const kills = 50;
console.log(`journal fuzz, seed ${first}`);
const commands = Object.keys(disturbed) as Command[];
const reports = new Map<Command, string>();
for (const command of commands) reports.set(command, await undisturbedReport(command));
for (let seed = first; seed < first + count; seed++)
  for (const command of commands) {
    await runKilled(command, seed, randomSignals(seed, kills), reports.get(command)!);
    console.log(`seed ${seed}: ${kills} signals to a journal of ${command} in use, the same report`);
  }
