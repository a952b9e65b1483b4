/** Figures for the litmus models: the shared set in both models, and random programs per second, in CPU time. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { defaultOptions, fuzzModels, parseTests, runTest } from "../src/model/litmus/index.ts";

const root = join(import.meta.dirname, "..");
const shared = join(root, "..", "shared", "litmus", "litmus.json");
const own = ["papers", "order", "flushes", "lines", "nontemporal", "crashes"].map((name) =>
  join(root, "test", "litmus", `${name}.json`),
);

/** CPU seconds of this process a piece of work takes. */
function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

export async function litmusBench(): Promise<string> {
  const set = existsSync(shared) ? { name: "shared set", files: [shared] } : { name: "own set", files: own };
  const tests = set.files.flatMap((file) => parseTests({ file, text: readFileSync(file, "utf8") }));
  let disagreements = 0;
  const whole = cpuSeconds(() => {
    for (const test of tests)
      if (runTest(test, ["operational", "axiomatic"], defaultOptions).disagreement !== undefined) disagreements++;
  });
  const programs = 1000;
  let report = { disagreements: [] as readonly unknown[], skipped: 0 };
  const random = cpuSeconds(() => {
    report = fuzzModels(1, programs);
  });
  return [
    "## Litmus",
    "",
    "| what | figure | bound |",
    "|---|---|---|",
    `| ${set.name}, ${tests.length} tests, both models, px86 and eADR | ${whole.toFixed(1)} s CPU | 20 s |`,
    `| disagreements in it | ${disagreements} | 0 |`,
    `| random programs, both models | ${Math.round(programs / random)} per s CPU | |`,
    `| disagreements in ${programs}, ${report.skipped} skipped | ${report.disagreements.length} | 0 |`,
    "",
  ].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.stdout.write(await litmusBench());
