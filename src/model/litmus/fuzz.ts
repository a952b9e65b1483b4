/**
 * Compares the models on random programs. The same seed gives the same programs. One program in ten is also run on the
 * slow twins. A program too large for the small limits used here is skipped, counted and replaced.
 */
import { below, seedRandom } from "../../base/index.ts";
import { compareEngines, type Disagreement } from "./compare.ts";
import { randomTestText } from "./generate.ts";
import { LimitReached, type Limits } from "./limits.ts";
import { parseTests } from "./parse.ts";
import { type EngineName, optionsFor, type RunOptions } from "./run.ts";

export interface FuzzReport {
  compared: number;
  skipped: number;
  readonly disagreements: { readonly program: string; readonly options: string; readonly disagreement: Disagreement }[];
}

const fuzzLimits: Limits = { states: 100_000, candidates: 200_000, traces: 20_000, instructions: 60 };
const pairs: readonly (readonly [EngineName, EngineName])[] = [
  ["operational", "axiomatic"],
  ["operational", "operational-unreduced"],
  ["axiomatic", "axiomatic-partial"],
];

/** Compares `count` programs; `progress` is called after each and may stop the run by returning false. */
export function fuzzModels(
  seed: number | bigint,
  count: number,
  progress: (report: FuzzReport) => boolean = () => true,
): FuzzReport {
  const random = seedRandom(seed);
  const report: FuzzReport = { compared: 0, skipped: 0, disagreements: [] };
  while (report.compared < count) {
    const program = randomTestText(random, `random-${seed}-${report.compared + report.skipped}`);
    const platform = below(random, 5) === 0 ? "strict" : "px86";
    const failedCas = below(random, 5) === 0 ? "load" : "fence";
    try {
      const disagreement = compareAll(program, optionsFor(platform, failedCas, fuzzLimits), report.compared % 10 === 0);
      report.compared++;
      if (disagreement !== undefined)
        report.disagreements.push({ program, options: `${platform}, failed-cas ${failedCas}`, disagreement });
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      report.skipped++;
    }
    if (!progress(report)) break;
  }
  return report;
}

function compareAll(program: string, options: RunOptions, twins: boolean): Disagreement | undefined {
  for (const test of parseTests({ file: "random program", text: program }))
    for (const pair of twins ? pairs : pairs.slice(0, 1)) {
      const disagreement = compareEngines(test, pair, options);
      if (disagreement !== undefined) return disagreement;
    }
  return undefined;
}
