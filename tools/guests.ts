/**
 * Runs real programs natively and in the machine and compares what they print, how they end and the files they leave:
 * `npx tsx tools/guests.ts [--no-jit] [--quick] [PATTERN]`, where PATTERN picks rows by name.
 */
import { compareRow, type Side } from "./guests/compare.ts";
import { rows } from "./guests/rows.ts";

const args = process.argv.slice(2);
const options = args.filter((word) => word === "--no-jit");
const pattern = new RegExp(args.find((word) => !word.startsWith("--")) ?? "", "i");
const chosen = rows.filter((row) => pattern.test(row.name) && (row.quick || !args.includes("--quick")));

const seconds = ({ seconds: taken }: Side) => `${taken.toFixed(2)} s`.padStart(9);
const tally = { passed: 0, failed: 0, leftOut: 0 };
const width = Math.max(...chosen.map(({ name }) => name.length));
console.log(`${"program".padEnd(width)}  ${"native".padStart(9)} ${"machine".padStart(9)}`);
for (const row of chosen) {
  const verdict = compareRow(row, options);
  const name = row.name.padEnd(width);
  if (verdict.kind === "left out") {
    tally.leftOut++;
    console.log(`${name}  left out: ${verdict.missing} is not installed`);
    continue;
  }
  const times = `${seconds(verdict.native)} ${seconds(verdict.machine)}`;
  if (verdict.kind === "same") {
    tally.passed++;
    console.log(`${name}  ${times}  same`);
  } else {
    tally.failed++;
    console.log(`${name}  ${times}  DIFFERENT`);
    for (const difference of verdict.differences) console.log(`    ${difference}`);
  }
}
const leftOut = tally.leftOut === 0 ? "" : `, ${tally.leftOut} left out`;
console.log(`${tally.passed} passed, ${tally.failed} failed${leftOut}`);
process.exitCode = tally.failed === 0 ? 0 : 1;
