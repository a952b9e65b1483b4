/**
 * Compares two builds: `npx tsx tools/compare-builds.ts [--quick] [--time] OLD_CHECKOUT NEW_CHECKOUT [PATTERN]`.
 * Every report (text, JSON, SARIF, JUnit) of `check` and `trace` on our guests must be the same; each difference is printed.
 * --quick takes a sample of about two minutes, PATTERN the cases whose name matches it, --time measures instead.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { allCases } from "./compare-builds/cases.ts";
import { difference } from "./compare-builds/difference.ts";
import { Build, formats } from "./compare-builds/reports.ts";
import { compareTimes } from "./compare-builds/times.ts";

type Builds = readonly [old: Build, fresh: Build];

async function compareReports(builds: Builds, folder: string, quick: boolean, pattern: RegExp): Promise<number> {
  const cases = allCases(folder, quick).filter(({ name }) => pattern.test(name));
  let different = 0;
  for (const [index, { name, command, words }] of cases.entries()) {
    // Once for both builds: this compiles the guest.
    const given = words();
    for (const format of formats) {
      const [old, fresh] = await Promise.all(builds.map((build) => build.report(command, given, format)));
      const found = difference(old!, fresh!);
      if (found === undefined) continue;
      different++;
      console.log(`== ${name}, ${format} ==\n${found}\n`);
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${index + 1} of ${cases.length} cases, ${different} differ `);
  }
  console.log(`${cases.length} cases, ${cases.length * formats.length} reports of each build: ${different} differ`);
  return different;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { quick: { type: "boolean", default: false }, time: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const [old, fresh, pattern = ""] = positionals;
  if (old === undefined || fresh === undefined) {
    console.error("usage: npx tsx tools/compare-builds.ts [--quick] [--time] OLD_CHECKOUT NEW_CHECKOUT [PATTERN]");
    process.exitCode = 2;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "blackout-compare-"));
  try {
    const builds: Builds = [new Build(old, join(folder, "old")), new Build(fresh, join(folder, "new"))];
    for (const { checkout } of builds) execFileSync(join(checkout, "blackout"), ["--help"], { stdio: "ignore" });
    if (values.time) console.log(compareTimes(builds));
    else if ((await compareReports(builds, folder, values.quick, new RegExp(pattern))) > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
