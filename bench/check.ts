/** `blackout check` on large runs: how it grows, what the memo and a second worker bring, states a second. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compileGuest } from "../test/support/programs.ts";
import { table } from "./figures.ts";
import { figure } from "./history.ts";
import { environment } from "./measure.ts";

const blackout = resolve(import.meta.dirname, "../dist/blackout.mjs");

/** What `--stats` tells. */
interface Stats {
  readonly events: number;
  readonly points: number;
  readonly states: number;
  readonly tested: number;
  readonly skipped: number;
  readonly seconds: { readonly before: number; readonly judging: number; readonly cpu: number };
  readonly peakBytes: number;
}

const structures = ["btree", "hash"] as const;
const small = 10_000;
const large = 150_000;
/** Operations when every dynamic point counts. */
const everyPoint = { btree: 30_000, hash: 24_000 } as const;
/** Half a minute for one worker, so that starting another is a small part; its recoveries take longer, as more is there to go through. */
const shared = { btree: 75_000, hash: 48_000 } as const;
/** Recoveries of one worker. */
const leastRecoveries = { btree: 1653, hash: 1101 } as const;
/** Each number of workers has so many turns; the quickest counts. */
const turns = 2;
/** States enough to see what the memo brings without waiting for all of them. */
const memoStates = 2_000;

function check(structure: (typeof structures)[number], operations: number, ...options: readonly string[]): Stats {
  const program = compileGuest(`bench/check-${structure}.c`, ["-O1", "-g", "-static"]);
  const directory = mkdtempSync(join(tmpdir(), "blackout-bench-"));
  try {
    const common = [
      "check",
      "--no-rules",
      "--no-explore",
      "--no-journal",
      "--stats",
      "--recover",
      `${program} pool`,
      ...options,
    ];
    const { status, stderr } = spawnSync("node", [blackout, ...common, "--", program, "pool", String(operations)], {
      cwd: directory,
      encoding: "utf8",
      env: environment,
    });
    if (status !== 0 && status !== 3) throw new Error(`check of ${structure} exited with ${status}: ${stderr}`);
    return JSON.parse(stderr.trim().split("\n").at(-1)!) as Stats;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const wall = ({ seconds }: Stats): number => seconds.before + seconds.judging;
const rate = (count: number, { seconds }: Stats): number => count / seconds.judging;
const times = (ratio: number): string => `${ratio.toFixed(2)}×`;

const quickest = (runs: readonly Stats[]): Stats =>
  runs.reduce((best, run) => (run.seconds.judging < best.seconds.judging ? run : best));

function growthRow(structure: (typeof structures)[number]): string[] {
  const [few, many] = [check(structure, small), check(structure, large)];
  const growth = many.seconds.cpu / few.seconds.cpu / (large / small);
  return [
    structure,
    `${(many.events / 1e6).toFixed(1)} M events, ${many.points} points, ${many.states} states`,
    figure(`check ${structure}`, wall(many), "s", { most: 600 }),
    figure(`check ${structure}, peak`, many.peakBytes / 2 ** 20, "MiB", { most: 4096 }),
    figure(`check ${structure}, growth`, growth, "×", { most: 1.3 }),
  ];
}

/** How much quicker two workers are than one. */
function secondWorker(structure: (typeof structures)[number]): number {
  const rounds = Array.from({ length: turns }, () =>
    [1, 2].map((jobs) => check(structure, shared[structure], "--all-points", "-j", String(jobs))),
  );
  const [one, two] = [0, 1].map((at) => quickest(rounds.map((round) => round[at]!))) as [Stats, Stats];
  return one.seconds.judging / two.seconds.judging;
}

function everyPointRow(structure: (typeof structures)[number]): string[] {
  const operations = everyPoint[structure];
  const alone = (...more: readonly string[]) => check(structure, operations, "--all-points", "-j", "1", ...more);
  const one = quickest(Array.from({ length: turns }, () => alone()));
  const [memo, none] = [[], ["--no-memo"]].map((more) => alone("--max-states", String(memoStates), ...more)) as [
    Stats,
    Stats,
  ];
  return [
    `${structure}, ${operations} operations`,
    String(one.states),
    figure(`recoveries a second, ${structure}`, rate(one.tested, one), "/s", { least: leastRecoveries[structure] }),
    figure(`states skipped a second, ${structure}`, rate(one.skipped, one), "/s"),
    times(none.seconds.judging / memo.seconds.judging),
    `${shared[structure]} operations: ${figure(`two workers, ${structure}`, secondWorker(structure), "×", { least: 1.6, goal: 1.7 })}`,
  ];
}

export async function checkBench(): Promise<string> {
  const growth = table(
    ["structure", `${large} operations`, "time", "peak memory", `CPU time an operation against ${small}`],
    structures.map(growthRow),
  );
  const states = table(
    [
      "every dynamic point",
      "states",
      "recoveries",
      "skipped",
      `without memo, first ${memoStates} states`,
      "two workers",
    ],
    structures.map(everyPointRow),
  );
  return ["## Crash injection", "", growth, "", states].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await checkBench()}\n`);
