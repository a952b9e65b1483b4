/** Compares the two persistency models on random programs: npx tsx tools/fuzz-litmus.ts SEED [COUNT]; unbounded without COUNT. */
import { fuzzModels } from "../src/model/litmus/index.ts";

const seed = BigInt(process.argv[2] ?? "0");
const count = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
const EVERY = 500;
process.stdout.write(`litmus fuzz, seed ${seed}\n`);

const report = fuzzModels(seed, count, ({ compared, skipped, disagreements }) => {
  if (compared % EVERY === 0 && compared > 0)
    process.stdout.write(
      `${compared} programs compared, ${skipped} too large, ${disagreements.length} disagreements\n`,
    );
  return disagreements.length === 0;
});
for (const { program, options, disagreement } of report.disagreements)
  process.stdout.write(`DISAGREEMENT (${options})\n${program}\n${JSON.stringify(disagreement)}\n`);
process.stdout.write(
  `${report.compared} programs, ${report.skipped} too large, ${report.disagreements.length} disagreements\n`,
);
process.exitCode = report.disagreements.length === 0 ? 0 : 70;
