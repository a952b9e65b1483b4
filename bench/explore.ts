/**
 * `blackout explore` beside Jaaru's way of exploring, on two structures with 4 to 64 keys: recoveries run and CPU seconds of
 * whole commands. The lock in their pools is never flushed, so that each of its stores is one that Jaaru's loads may see; the
 * rows with a flushed lock say what is left without that. Then: recoveries a second, and what a second worker brings.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exploreEngine } from "../src/engines/index.ts";
import { Started, WaysJudge, WaysPlan, type WayWatcher } from "../src/exploration/recovery-paths/index.ts";
import { compileGuest } from "../test/support/programs.ts";
import { sceneOf } from "../test/support/scene.ts";
import { median, table } from "./figures.ts";
import { figure } from "./history.ts";
import { environment } from "./measure.ts";

const blackout = resolve(import.meta.dirname, "../dist/blackout.mjs");

/** What `--stats` tells. */
interface Stats {
  readonly points: number;
  readonly states: number;
  readonly seconds: { readonly before: number; readonly judging: number; readonly cpu: number };
  readonly peakBytes: number;
  readonly yatStates?: string;
  readonly jaaruExecutions?: string;
}

const guests = { hash: "bench/explore-hash.c", btree: "bench/check-btree.c" } as const;
type Guest = keyof typeof guests;
const keys = [4, 16, 64] as const;
const mostKeys = 64;
/** Enough for one worker to need half a minute. */
const manyKeys = 4400;
const mostMebibytes = 2048;
/** Each number of workers has so many turns, and the rate too; the quickest counts. */
const turns = 2;

const programOf = (guest: Guest, defines: readonly string[] = []): string =>
  compileGuest(guests[guest], ["-O1", "-g", "-static", ...defines]);

/** Ends with 0, as nothing is wrong with these programs; returns what was printed beside the report. */
function explore(program: string, count: number, ...options: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), "blackout-bench-"));
  try {
    const words = ["explore", "--no-journal", "--recover", `${program} pool`, ...options];
    const run = ["--", program, "pool", `${count}`, "keys"];
    const spawned = spawnSync("node", [blackout, ...words, ...run], {
      cwd: directory,
      encoding: "utf8",
      env: environment,
    });
    const { status, stdout, stderr } = spawned;
    if (status !== 0) throw new Error(`explore of ${program} ended with ${status}: ${stdout}${stderr}`);
    return stderr;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const statsOf = (program: string, count: number, ...options: readonly string[]): Stats =>
  JSON.parse(
    explore(program, count, "-j", "1", "--stats", ...options)
      .trim()
      .split("\n")
      .at(-1)!,
  ) as Stats;

function comparedRow(guest: Guest, count: number, defines: readonly string[]): string[] {
  const program = programOf(guest, defines);
  const name = defines.length === 0 ? guest : `${guest}, lock flushed`;
  // What is translated for the first time is nobody's cost.
  explore(program, count, "-j", "1");
  const ours = statsOf(program, count);
  const jaaru = statsOf(program, count, "--jaaru-like");
  if (`${jaaru.states}` !== ours.jaaruExecutions)
    throw new Error(`Jaaru's way ran ${jaaru.states} recoveries, and the formula says ${ours.jaaruExecutions}`);
  const isBound = count === mostKeys && defines.length === 0;
  const ratio = jaaru.seconds.cpu / ours.seconds.cpu;
  return [
    `${name}, ${count} keys`,
    `${ours.points}`,
    ours.yatStates!,
    `${jaaru.states}`,
    `${ours.states}`,
    `${jaaru.seconds.cpu.toFixed(2)} s`,
    `${ours.seconds.cpu.toFixed(2)} s`,
    isBound ? figure(`Jaaru's way, ${guest}`, ratio, "×", { least: 20 }) : `${ratio.toFixed(1)}×`,
    isBound
      ? figure(`explore ${guest}, peak`, ours.peakBytes / 2 ** 20, "MiB", { most: mostMebibytes })
      : `${Math.round(ours.peakBytes / 2 ** 20)} MiB`,
  ];
}

const nobody: WayWatcher = { found: 0, reached: () => {}, isJudgedAnew: () => false, findings: () => [] };

/** Of one core, the walk through the tree included; code is translated by then. */
function rateOf(guest: Guest): { readonly rate: number; readonly instructions: number } {
  const program = programOf(guest);
  const pool = "/tmp/blackout-explore-pool.img";
  const engine = exploreEngine();
  const run = [program, pool, `${mostKeys}`, "keys"];
  const scene = sceneOf(run, { recover: [program, pool] }, engine.undisturbed);
  const started = new Started(scene.run, "px86", []);
  started.undisturbed(scene.subject, scene.judging.hangLimit);
  let judge: WaysJudge | undefined;
  const measure = () => {
    const plan = new WaysPlan(scene, started, { maxExecutions: Number.POSITIVE_INFINITY }, nobody);
    judge ??= new WaysJudge(plan.setup, scene);
    const before = process.cpuUsage();
    for (let unit = plan.next(64); unit !== undefined; unit = plan.next(64))
      plan.add(judge.judge(unit, undefined, () => false));
    const { user, system } = process.cpuUsage(before);
    return { plan, rate: (plan.tested - 1) / ((user + system) / 1e6) };
  };
  const measured = Array.from({ length: 2 + turns }, measure).slice(2);
  const lengths = measured[0]!.plan.ends.map(({ instructions }) => instructions);
  // The shortest finds an empty pool: it is the start that no run repeats.
  return { rate: Math.max(...measured.map(({ rate }) => rate)), instructions: median(lengths) - Math.min(...lengths) };
}

/** By the clock, whole commands. */
function workersLine(): string {
  const program = programOf("hash");
  const secondsOf = (jobs: string): number => {
    const began = performance.now();
    explore(program, manyKeys, "-j", jobs);
    return (performance.now() - began) / 1000;
  };
  const runs = Array.from({ length: turns }, () => [secondsOf("1"), secondsOf("2")] as const);
  const [one, two] = [0, 1].map((at) => Math.min(...runs.map((run) => run[at]!))) as [number, number];
  return `The hash table with ${manyKeys} keys takes one worker ${one.toFixed(1)} s; a second makes it ${figure("explore, two workers", one / two, "×", { least: 1.6 })} as quick.`;
}

export async function exploreBench(): Promise<string> {
  const plain = (Object.keys(guests) as Guest[]).flatMap((guest) => keys.map((count) => comparedRow(guest, count, [])));
  const flushed = (Object.keys(guests) as Guest[]).map((guest) => comparedRow(guest, mostKeys, ["-DFLUSHED_LOCK"]));
  const { rate, instructions } = rateOf("hash");
  return [
    "## Exploration",
    "",
    table(
      [
        "every crash state",
        "points",
        "crash states (Yat)",
        "recoveries, Jaaru's way",
        "recoveries",
        "CPU time, Jaaru's way",
        "CPU time",
        "less",
        "peak memory",
      ],
      [...plain, ...flushed],
    ),
    "",
    workersLine(),
    "",
    `Recoveries a second on one core, hash table, ${mostKeys} keys: ${figure("explore, recoveries a second", rate, "/s", { least: 1200 })}, of ${figure("explore, instructions a recovery", instructions, "", { least: 20_000 })} instructions in the median behind the start-up that no run repeats.`,
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await exploreBench()}\n`);
