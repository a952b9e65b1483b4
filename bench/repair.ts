/** `blackout fix` on the first fifty seeded mistakes that flushes and fences cure: seconds of a processor for all of them. */
import { pathToFileURL } from "node:url";
import { mend, rowOptions } from "../test/repair/mending.ts";
import { curable } from "../test/repair/rows.ts";
import { figure } from "./history.ts";

const mistakes = 50;
const mostSeconds = 300;

export async function repairBench(): Promise<string> {
  const rows = curable.slice(0, mistakes);
  // Compiled before anything is measured.
  for (const row of rows) rowOptions(row);
  let [seconds, slowest] = [0, { name: "", seconds: 0 }];
  for (const row of rows) {
    const before = process.cpuUsage();
    const { fixes, refusals } = await mend(row);
    const { user, system } = process.cpuUsage(before);
    if (fixes.length === 0 || refusals.length > 0) throw new Error(`${row.name} was not repaired`);
    const taken = (user + system) / 1e6;
    seconds += taken;
    if (taken > slowest.seconds) slowest = { name: row.name, seconds: taken };
  }
  return [
    "## Repair",
    "",
    `${rows.length} seeded mistakes found, fixed, verified and patched in source: ${figure("repair, fifty mistakes", seconds, "s", { most: mostSeconds })} of a processor; the slowest is ${slowest.name} with ${slowest.seconds.toFixed(1)} s.`,
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await repairBench()}\n`);
