/**
 * `blackout represent` on runs that exploration does not get through: how long it takes, and how many mistakes each engine has
 * found after so many seconds, as a table and as a picture beside the results.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compileGuest } from "../test/support/programs.ts";
import { table } from "./figures.ts";
import { figure } from "./history.ts";
import { environment } from "./measure.ts";

const blackout = resolve(import.meta.dirname, "../dist/blackout.mjs");
const plotFile = join(import.meta.dirname, "represent.svg");

interface Stats {
  readonly events: number;
  readonly behaviours: number;
  readonly behavioursTested: number;
  readonly groups: number;
  readonly executions: number;
  readonly seconds: { readonly before: number; readonly judging: number };
  readonly peakBytes: number;
}

const guests = { btree: "check/large.c", hash: "represent/buckets.c" } as const;
type Guest = keyof typeof guests;

function run(guest: Guest, defines: readonly string[], operations: number, command: readonly string[]) {
  const program = compileGuest(guests[guest], ["-O1", "-g", "-static", ...defines]);
  const directory = mkdtempSync(join(tmpdir(), "blackout-bench-"));
  try {
    const common = ["--no-journal", "--stats", "--recover", `${program} pool`, "--", program, "pool", `${operations}`];
    const words = [blackout, ...command, ...common];
    const { status, stderr } = spawnSync("node", words, { cwd: directory, encoding: "utf8", env: environment });
    if (![0, 1, 3].includes(status ?? -1)) throw new Error(`${command[0]} of ${guest} ended with ${status}: ${stderr}`);
    return { found: status === 1, stderr };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const large = 100_000;

function largeRow(guest: Guest): string[] {
  const { stderr } = run(guest, [], large, ["represent"]);
  const stats = JSON.parse(stderr.trim().split("\n").at(-1)!) as Stats;
  const { events, behaviours, behavioursTested, groups, executions, seconds, peakBytes } = stats;
  return [
    guest,
    `${(events / 1e6).toFixed(1)} M events`,
    `${behavioursTested} of ${behaviours}, ${groups} groups`,
    `${executions}`,
    figure(`represent ${guest}`, seconds.before + seconds.judging, "s", { most: 600 }),
    figure(`represent ${guest}, peak`, peakBytes / 2 ** 20, "MiB", { most: 4096 }),
  ];
}

const mistakes: readonly (readonly [Guest, readonly string[]])[] = [
  ["btree", ["-DBUG_SPILL", "-DROOM=5"]],
  ["hash", ["-DBUG_GROW"]],
  ["hash", ["-DBUG_LINK"]],
  ["hash", ["-DBUG_CHANGE"]],
  ["hash", ["-DBUG_UNLINK"]],
];
const searched = 10_000;
const limits = [2, 4, 8, 16] as const;
const engines = {
  represent: ["represent"],
  explore: ["explore"],
  inject: ["check", "--no-rules", "--no-explore"],
} as const;
type Engine = keyof typeof engines;

/** Of each limit, how many of the mistakes are found within it; what was found once is not looked for again. */
function foundBy(engine: Engine): readonly number[] {
  const found = new Set<number>();
  return limits.map((seconds) => {
    for (const [number, [guest, defines]] of mistakes.entries())
      if (!found.has(number) && run(guest, defines, searched, [...engines[engine], "--time", `${seconds}s`]).found)
        found.add(number);
    return found.size;
  });
}

const colours: Readonly<Record<Engine, string>> = { represent: "#0b5cad", explore: "#8a5a00", inject: "#1a7f37" };

/** Mistakes found over time, a step for each limit; seconds grow by powers. */
function plot(counts: ReadonlyMap<Engine, readonly number[]>): string {
  const x = (limit: number) => 60 + limit * 90;
  const y = (count: number) => 220 - count * 36;
  const ends = [...counts.values()].map((found) => found.at(-1)!);
  /** Names of curves that end at one place stand below each other. */
  const below = (at: number) => ends.slice(0, at).filter((count) => count === ends[at]).length;
  const curves = [...counts].flatMap(([engine, found], at) => [
    `<polyline fill="none" stroke="${colours[engine]}" stroke-width="2" points="${found.map((count, i) => `${x(i)},${y(count) + 2 * at}`).join(" ")}"/>`,
    `<text x="${x(limits.length - 1) + 8}" y="${y(ends[at]!) + 4 + 14 * below(at)}" fill="${colours[engine]}">${engine}</text>`,
  ]);
  const ticks = limits.map((seconds, i) => `<text x="${x(i)}" y="240" text-anchor="middle">${seconds} s</text>`);
  const counted = [...mistakes.keys(), mistakes.length].map((n) => `<text x="40" y="${y(n) + 4}">${n}</text>`);
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 540 260" font-family="sans-serif" font-size="12">',
    "<title>Mistakes found over time</title>",
    '<rect width="540" height="260" fill="#fff"/>',
    '<path d="M56 30 V222 H430" fill="none" stroke="#555"/>',
    ...ticks,
    ...counted,
    ...curves,
    "</svg>\n",
  ].join("\n");
}

/** Limits are of the clock: what else the computer did counts. */
const busyText = (loads: readonly number[]): string =>
  `Seconds of the clock, with ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)} threads wanting to run on ${cpus().length} cores.`;

export async function representBench(): Promise<string> {
  const loads = [loadavg()[0]!];
  const runs = table(
    [`${large} operations`, "events", "behaviours tested", "recoveries", "time", "peak memory"],
    (Object.keys(guests) as Guest[]).map(largeRow),
  );
  loads.push(loadavg()[0]!);
  const counts = new Map(
    (Object.keys(engines) as Engine[]).map((engine) => {
      const found = foundBy(engine);
      loads.push(loadavg()[0]!);
      return [engine, found];
    }),
  );
  writeFileSync(plotFile, plot(counts));
  const found = table(
    [`of ${mistakes.length} mistakes in ${searched} operations, found in`, ...limits.map((seconds) => `${seconds} s`)],
    [...counts].map(([engine, own]) => [engine, ...own.map(String)]),
  );
  return [
    "## Representatives",
    "",
    busyText(loads),
    "",
    runs,
    "",
    found,
    "",
    "![Mistakes found over time](represent.svg)",
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await representBench()}\n`);
