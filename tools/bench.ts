/**
 * `make bench`: every benchmark in turn; the figures go to bench/RESULTS.md with a description of this computer, section
 * by section, and bench/history.jsonl, so that what was measured is there when the rest is not waited for. A pattern as
 * argument picks some (`make bench ROWS="explore|robust"`): the sections of the others stay as they are.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { checkBench } from "../bench/check.ts";
import { earlierBench } from "../bench/earlier.ts";
import { exploreBench } from "../bench/explore.ts";
import { keepFigures, missedBounds } from "../bench/history.ts";
import { litmusBench } from "../bench/litmus.ts";
import { machineBench } from "../bench/machine.ts";
import { pageBench } from "../bench/page.ts";
import { pmemobjBench } from "../bench/pmemobj.ts";
import { poolsBench } from "../bench/pools.ts";
import { proveBench } from "../bench/prove.ts";
import { repairBench } from "../bench/repair.ts";
import { representBench } from "../bench/represent.ts";
import { sectionsOf, withSections } from "../bench/results.ts";
import { robustBench } from "../bench/robust.ts";
import { rulesBench } from "../bench/rules.ts";
import { traceBench } from "../bench/trace.ts";

const benches = [
  machineBench,
  litmusBench,
  rulesBench,
  traceBench,
  pmemobjBench,
  poolsBench,
  checkBench,
  earlierBench,
  exploreBench,
  proveBench,
  robustBench,
  representBench,
  repairBench,
  pageBench,
];
const results = join(resolve(import.meta.dirname, ".."), "bench/RESULTS.md");

const computer = [
  `Node ${process.version}, Linux ${release()}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown CPU"}, ${Math.round(totalmem() / 2 ** 30)} GiB.`,
  "Times are CPU time, medians; ratios compare runs of the same binary on this computer, one after another.",
].join("\n");

const [, , pattern] = process.argv;
const chosen = benches.filter(({ name }) => new RegExp(pattern ?? "").test(name));
let sections = pattern !== undefined && existsSync(results) ? sectionsOf(readFileSync(results, "utf8")) : [];
for (const bench of chosen) {
  const begun = performance.now();
  // What was measured before one that fails, and after it, is worth having.
  const section = await bench().then(
    (text) => text.trimEnd(),
    (error: unknown) => `## ${bench.name}\n\nFailed: ${String(error)}`,
  );
  console.log(`${section}\n`);
  console.error(`${bench.name}: ${Math.round((performance.now() - begun) / 1000)} s`);
  if (section.includes("\n\nFailed: ")) process.exitCode = 1;
  sections = withSections(sections, sectionsOf(section));
  writeFileSync(results, `# Results\n\nWritten by \`make bench\`. ${computer}\n\n${sections.join("\n\n")}\n`);
  keepFigures();
}
for (const name of missedBounds()) console.log(`missed its bound: ${name}`);
